"""Stops fahrenheit.s at the first wave whose result is wrong, shows its lanes, and puts them right."""
import breakwater

session = breakwater.current()


def right(celsius):
    return celsius * 1.8 + 32


def is_wrong(wave):
    return any(abs(f - right(c)) > 0.01 for c, f in zip(wave.read("v2", "f"), wave.read("v4", "f")))


session.breakpoint("fahrenheit.s:24", condition=is_wrong)
event = session.run()
while event.wave:
    for wave in session.waves:
        if wave.breakpoint:
            celsius, fahrenheit = wave.read("v2", "f"), wave.read("v4", "f")
            print(f"{wave.where}, workgroup {wave.workgroup[0]}: {celsius[1]:g} C are not {fahrenheit[1]:g} F")
            for lane, degrees in enumerate(celsius):
                wave.write_lane("v4", lane, right(degrees))
    event = session.proceed()
print(event)
