# SPDX-License-Identifier: MIT
# Completion for fish: commands, their subcommands and options as their --help has them; processes
# for attach; otherwise files.

# The words before the cursor that are not options, nor the value of --gpu, without the program itself.
function __breakwater_words
    set -l before (commandline -opc)
    set -l previous
    for word in $before[2..-1]
        string match -q -- '-*' $word; or test "$previous" = --gpu; or echo $word
        set previous $word
    end
end

function __breakwater_program
    set -l before (commandline -opc)
    $before[1] $argv 2>/dev/null
end

function __breakwater_subcommands
    __breakwater_program $argv[1] --help | string replace -rf '^(?:Usage:)? *breakwater '$argv[1]' ([a-z][a-z0-9-]*).*$' '$1'
end

# Where a command, a subcommand or a process stands, a file does not.
function __breakwater_takes_no_file
    set -l words (__breakwater_words)
    test (count $words) -eq 0; and return 0
    contains -- -- (commandline -opc); and return 1
    test (commandline -opc)[-1] = --gpu; and return 0
    test $words[1] = attach; and return 0
    test (count $words) -eq 1; and set -l found (__breakwater_subcommands $words[1]); and test -n "$found"
end

function __breakwater_complete
    set -l words (__breakwater_words)
    if contains -- -- (commandline -opc)
        __fish_complete_command
    else if test (commandline -opc)[-1] = --gpu
        printf '%s\n' virtual virtual:navi31 0
    else if test (count $words) -eq 0
        __breakwater_program help | string replace -rf '^  breakwater ([a-z0-9-]+) +(.*)$' '$1\t$2'
    else if string match -q -- '-*' (commandline -ct)
        # "bisect --stomp" has options of its own
        set -l form (string match -- --stomp (commandline -opc))
        begin
            __breakwater_program $words[1] $form --help
            test -n "$form" -o (count $words) -lt 2; or __breakwater_program $words[1..2] --help
        end | string match -r '^(?:(?:Usage:)? *breakwater '$words[1]' | {0,2}-[^ ]).*' | string replace -r '^ +' '' |
            string replace -r '   .*' '' | string match -ra -- '(?:^|(?<=[[ ,]))--?[A-Za-z][A-Za-z0-9-]*'
    else if test $words[1] = attach
        __fish_complete_pids
    else if test (count $words) -eq 1
        __breakwater_subcommands $words[1]
    end
end

complete -c breakwater -n __breakwater_takes_no_file -f
complete -c breakwater -a '(__breakwater_complete)'
