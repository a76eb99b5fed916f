#compdef breakwater
# SPDX-License-Identifier: MIT
# Completion for zsh: commands, their subcommands and options as their --help has them; processes
# for attach; after "--" a program; otherwise files.

_breakwater() {
	local program=$words[1] previous=${words[CURRENT-1]} current=${words[CURRENT]} command= sub= form= i
	local -aU found
	for ((i = 2; i < CURRENT; i++)); do
		case $words[i] in
		--)
			shift $i words
			((CURRENT -= i))
			_normal
			return
			;;
		--stomp) form=--stomp ;; # of bisect: it has options of its own
		--gpu) ((i++)) ;; # and its value
		-*) ;;
		*) if [[ -z $command ]]; then command=$words[i]; elif [[ -z $sub ]]; then sub=$words[i]; fi ;;
		esac
	done
	if [[ -z $command ]]; then
		found=(${(f)"$($program help 2>/dev/null | sed -n 's/^  breakwater \([a-z0-9-]*\) *\(.*\)/\1:\2/p')"})
		_describe command found
		return
	fi
	if [[ $previous == --gpu ]]; then
		compadd virtual virtual:navi31 0
	elif [[ $current == -* ]]; then
		found=(${(f)"$({ $program $command $form --help; [[ -n $form || -z $sub ]] || $program $command $sub --help; } 2>/dev/null |
			sed -n -e "s/^\(Usage:\)\{0,1\} *breakwater $command / /p" -e 's/^ \{0,2\}\(-[^ ].*\)/\1/p' | sed 's/   .*//' |
			grep -oE -- '(^|[[ ,])--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,[')"})
		compadd -a found
	elif [[ $command == attach ]]; then
		compadd -- /proc/[0-9]*(:t)
	elif [[ -z $sub ]]; then
		found=(${(f)"$($program $command --help 2>/dev/null |
			sed -n "s/^\(Usage:\)\{0,1\} *breakwater $command \([a-z][a-z0-9-]*\).*/\2/p")"})
		if ((#found)); then compadd -a found; else _files; fi
	else
		_files
	fi
}

_breakwater "$@"
