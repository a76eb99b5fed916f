# SPDX-License-Identifier: MIT
"""Shapes of the messages that a debug adapter sends, by the protocol's specification (version 1.71): members
that must be there, members that may, and their types. A member that is in neither list is an error, but in the
bodies of our own requests (breakwater/...)."""


class Wrong(Exception):
    pass


class OneOf:
    def __init__(self, *words):
        self.words = words


class Any:
    pass


def shape(must=None, **may):
    return must or {}, may


SOURCE = shape({}, name=str, path=str, sourceReference=int, presentationHint=OneOf("normal", "emphasize", "deemphasize"))
BREAKPOINT = shape({"verified": bool}, id=int, message=str, source=SOURCE, line=int, column=int,
                   instructionReference=str, offset=int, reason=OneOf("pending", "failed"))
THREAD = shape({"id": int, "name": str})
FRAME = shape({"id": int, "name": str, "line": int, "column": int}, source=SOURCE, instructionPointerReference=str,
              presentationHint=OneOf("normal", "label", "subtle"))
SCOPE = shape({"name": str, "variablesReference": int, "expensive": bool}, namedVariables=int, indexedVariables=int,
              presentationHint=OneOf("arguments", "locals", "registers", "returnValue"))
VARIABLE = shape({"name": str, "value": str, "variablesReference": int}, type=str, evaluateName=str,
                 namedVariables=int, indexedVariables=int, memoryReference=str)
RESULT = dict(type=str, variablesReference=int, namedVariables=int, indexedVariables=int, memoryReference=str)
INSTRUCTION = shape({"address": str, "instruction": str}, instructionBytes=str, symbol=str, location=SOURCE,
                    line=int, presentationHint=OneOf("normal", "invalid"))
MODULE = shape({"id": int, "name": str}, path=str, symbolStatus=str, addressRange=str)
FILTER = shape({"filter": str, "label": str}, default=bool, description=str)
TARGET = shape({"label": str}, text=str, start=int, length=int)
BREAKPOINTS = shape({"breakpoints": [BREAKPOINT]})
GOTO = shape({"id": int, "label": str, "line": int}, column=int, instructionPointerReference=str)

CAPABILITIES = """supportsConfigurationDoneRequest supportsFunctionBreakpoints supportsConditionalBreakpoints
supportsHitConditionalBreakpoints supportsEvaluateForHovers supportsStepBack supportsSetVariable
supportsRestartFrame supportsGotoTargetsRequest supportsStepInTargetsRequest supportsCompletionsRequest
supportsModulesRequest supportsRestartRequest supportsExceptionOptions supportsValueFormattingOptions
supportsExceptionInfoRequest supportTerminateDebuggee supportSuspendDebuggee supportsDelayedStackTraceLoading
supportsLoadedSourcesRequest supportsLogPoints supportsTerminateThreadsRequest supportsSetExpression
supportsTerminateRequest supportsDataBreakpoints supportsReadMemoryRequest supportsWriteMemoryRequest
supportsDisassembleRequest supportsCancelRequest supportsBreakpointLocationsRequest supportsClipboardContext
supportsSteppingGranularity supportsInstructionBreakpoints supportsExceptionFilterOptions
supportsSingleThreadExecutionRequests supportsDataBreakpointBytes supportsANSIStyling""".split()

BODIES = {
    "initialize": shape({}, exceptionBreakpointFilters=[FILTER], completionTriggerCharacters=[str],
                        **{name: bool for name in CAPABILITIES}),
    "setBreakpoints": BREAKPOINTS,
    "setFunctionBreakpoints": BREAKPOINTS,
    "setInstructionBreakpoints": BREAKPOINTS,
    "setDataBreakpoints": BREAKPOINTS,
    "setExceptionBreakpoints": shape({}, breakpoints=[BREAKPOINT]),
    "breakpointLocations": shape({"breakpoints": [shape({"line": int}, column=int)]}),
    "dataBreakpointInfo": shape({"dataId": (str, type(None)), "description": str},
                                accessTypes=[OneOf("read", "write", "readWrite")], canPersist=bool),
    "continue": shape({}, allThreadsContinued=bool),
    "threads": shape({"threads": [THREAD]}),
    "stackTrace": shape({"stackFrames": [FRAME]}, totalFrames=int),
    "scopes": shape({"scopes": [SCOPE]}),
    "variables": shape({"variables": [VARIABLE]}),
    "evaluate": shape({"result": str, "variablesReference": int}, **RESULT),
    "setVariable": shape({"value": str}, **RESULT),
    "setExpression": shape({"value": str}, **RESULT),
    "completions": shape({"targets": [TARGET]}),
    "exceptionInfo": shape({"exceptionId": str, "breakMode": OneOf("never", "always", "unhandled", "userUnhandled")},
                           description=str, details=shape({}, message=str, typeName=str)),
    "readMemory": shape({"address": str}, unreadableBytes=int, data=str),
    "writeMemory": shape({}, offset=int, bytesWritten=int),
    "disassemble": shape({"instructions": [INSTRUCTION]}),
    "source": shape({"content": str}, mimeType=str),
    "loadedSources": shape({"sources": [SOURCE]}),
    "gotoTargets": shape({"targets": [GOTO]}),
    "modules": shape({"modules": [MODULE]}, totalModules=int),
}

EVENTS = {
    "initialized": None,
    "stopped": shape({"reason": OneOf("step", "breakpoint", "exception", "pause", "entry", "goto", "function breakpoint",
                                      "data breakpoint", "instruction breakpoint")},
                     description=str, threadId=int, preserveFocusHint=bool, text=str, allThreadsStopped=bool,
                     hitBreakpointIds=[int]),
    "continued": shape({"threadId": int}, allThreadsContinued=bool),
    "exited": shape({"exitCode": int}),
    "terminated": None,
    "output": shape({"output": str}, category=OneOf("console", "important", "stdout", "stderr", "telemetry"),
                    source=SOURCE, line=int),
    "breakpoint": shape({"reason": OneOf("changed", "new", "removed"), "breakpoint": BREAKPOINT}),
    "progressStart": shape({"progressId": str, "title": str}, requestId=int, cancellable=bool, message=str),
    "progressEnd": shape({"progressId": str}, message=str),
    "invalidated": shape({}, areas=[OneOf("all", "stacks", "threads", "variables")], threadId=int, stackFrameId=int),
    "memory": shape({"memoryReference": str, "offset": int, "count": int}),
}

ERROR = shape({}, error=shape({"id": int, "format": str}, showUser=bool))


def hold(value, wanted, where):
    if isinstance(wanted, tuple) and wanted and isinstance(wanted[0], dict):
        must, may = wanted
        if not isinstance(value, dict):
            raise Wrong(f"{where} is not an object: {value!r}")
        for name in must:
            if name not in value:
                raise Wrong(f"{where}.{name} is missing: {value!r}")
        for name, member in value.items():
            if name not in must and name not in may:
                raise Wrong(f"{where}.{name} is not of the protocol: {value!r}")
            hold(member, must.get(name, may.get(name)), f"{where}.{name}")
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise Wrong(f"{where} is not an array: {value!r}")
        for i, one in enumerate(value):
            hold(one, wanted[0], f"{where}[{i}]")
    elif isinstance(wanted, OneOf):
        if value not in wanted.words:
            raise Wrong(f"{where} is {value!r}")
    elif wanted is int and isinstance(value, bool) or not isinstance(value, wanted):
        raise Wrong(f"{where} is {value!r}, no {wanted}")


def check(message):
    kind = message.get("type")
    if kind == "event":
        hold(message, shape({"seq": int, "type": str, "event": str}, body=dict), "event")
        name = message["event"]
        if name not in EVENTS:
            raise Wrong(f"there is no event {name}")
        if EVENTS[name]:
            hold(message.get("body"), EVENTS[name], name)
        elif "body" in message:
            raise Wrong(f"{name} has a body: {message}")
    elif kind == "response":
        hold(message, shape({"seq": int, "type": str, "request_seq": int, "success": bool, "command": str},
                            message=str, body=dict), "response")
        name = message["command"]
        if not message["success"]:
            if not message.get("message"):
                raise Wrong(f"an error without a message: {message}")
            hold(message["body"], ERROR, name)
        elif name in BODIES:
            hold(message.get("body", {}), BODIES[name], name)
        elif not name.startswith("breakwater/") and "body" in message:
            raise Wrong(f"{name} has a body: {message}")
    else:
        raise Wrong(f"a message of type {kind!r}")
