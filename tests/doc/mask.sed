# What differs from run to run or from machine to machine. The rules are applied to what a sample says and to what the
# program says; all else must be the same to the last character.
s/heatsolve [0-9]+\.[0-9]+\.[0-9]+[^ ,]*/heatsolve VERSION/
# The line of the backend: device, instruction set, threads; forecasts, and which backends cannot run here.
s/^(  backend +[a-z-]+) on .*/\1 on DEVICE/
s/(lowest forecast for [^ ]+ (sweeps|cycles)) \(.*/\1 (FORECASTS)/
# Times and rates.
s/^(  time  +).*/\1TIMES/
s/^(  predicted  +).*/\1TIMES/
s/^(time +roughly) .*/\1 TIMES/
s/(levels? made in) [0-9.e-]+ s/\1 TIME/
# verify: "..., 0.441 s (DEVICE)".
s/, [0-9.e+-]+ (s|ms|us) \(.*\)$/, TIME (DEVICE)/
# backends: why this build or this machine cannot run a GPU's.
s/^(cuda-[a-z]+ +no +[^:]*): .*/\1: REASON/
# Rows that are kept for each thread.
s/^(memory +)[0-9.e+]+ [kMG]B on the host$/\1MEMORY on the host/
# submit: where the site is, and how long the run would take.
s#^((script|log) +)/.*/plate-output/#\1/FOLDER/plate-output/#
s/^(forecast +roughly) .*/\1 TIMES/
