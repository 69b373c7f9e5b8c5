package main

const usage = `Usage: sovrun run [flags] [--] COMMAND [ARGUMENT...]
       sovrun explain [flags] [--] [COMMAND [ARGUMENT...]]
       sovrun plan [flags] [--] [COMMAND [ARGUMENT...]]
       sovrun version

run      set up the sandbox, prove every plane inside it, then run the command in it
explain  do the same up to the proof, and report; nothing is run
plan     print what would be done; nothing is done

Exit status of run: the command's own; 128+N if signal N ended it; 125 if sovrun
refused or failed; 126 if the command cannot be executed; 127 if there is none.
Exit status of explain: 0 if every required plane is enforced, else 125.

"sovrun run --help" lists the flags.
`
