# SPDX-License-Identifier: MIT
# Completion for bash: commands, their subcommands and options as their --help has them; processes
# for attach; after "--" a program; otherwise files.

# The words that "breakwater help" lists.
_breakwater_commands() {
	"$1" help 2>/dev/null | sed -n 's/^  breakwater \([a-z0-9-]*\) .*/\1/p'
}

# PROGRAM COMMAND: what its "Usage:" lines have after it.
_breakwater_subcommands() {
	"$1" "$2" --help 2>/dev/null | sed -n "s/^\(Usage:\)\{0,1\} *breakwater $2 \([a-z][a-z0-9-]*\).*/\2/p"
}

# PROGRAM COMMAND...: options stand in lines of usage, and at the beginnings of lines, several with ", " between them.
_breakwater_options() {
	"$@" --help 2>/dev/null |
		sed -n -e "s/^\(Usage:\)\{0,1\} *breakwater $2 / /p" -e 's/^ \{0,2\}\(-[^ ].*\)/\1/p' | sed 's/   .*//' |
		grep -oE -- '(^|[[ ,])--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,['
}

_breakwater() {
	local program=$1 current=$2 previous=$3 i command= sub= form= words=
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		case "${COMP_WORDS[i]}" in
		--) # a program and its own arguments
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			elif ((i + 1 == COMP_CWORD)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u)
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$current")
			fi
			return
			;;
		--stomp) form=--stomp ;; # of bisect: it has options of its own
		--gpu) # and its value, which bash breaks at the colon
			((i++))
			[ "${COMP_WORDS[i + 1]}" != : ] || ((i += 2))
			;;
		-*) ;;
		*)
			if [ -z "$command" ]; then command=${COMP_WORDS[i]}; elif [ -z "$sub" ]; then sub=${COMP_WORDS[i]}; fi
			;;
		esac
	done
	case "$previous" in
	--gpu) words="virtual virtual:navi31 0" ;;
	:) [ "${COMP_WORDS[COMP_CWORD - 2]}" != virtual ] || words=navi31 ;;
	-x | --command | -o) ;;
	*)
		if [ "$previous${COMP_WORDS[COMP_CWORD]}" = virtual: ]; then # what follows the colon is asked for
			words=navi31 current=
		elif [ -z "$command" ]; then
			words=$(_breakwater_commands "$program")
		elif [[ "$current" == -* ]]; then
			words=$(_breakwater_options "$program" "$command" $form)
			[ -n "$form" ] || [ -z "$sub" ] || words+=" $(_breakwater_options "$program" "$command" "$sub")"
		elif [ "$command" = attach ]; then
			words=$(cd /proc && ls -d [0-9]*)
		elif [ -z "$sub" ]; then
			words=$(_breakwater_subcommands "$program" "$command")
		fi
		;;
	esac
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current" | sort -u)
	else
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}

complete -F _breakwater breakwater
