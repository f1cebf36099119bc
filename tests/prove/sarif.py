"""What SARIF 2.1.0 asks of the objects that dma-prove writes (OASIS, Static Analysis Results Interchange Format)."""

import re

#: By the object's section: its required properties, and all that dma-prove may write into it.
OBJECTS = {
    "sarifLog": ({"version", "runs"}, {"$schema"}),  # 3.13
    "run": ({"tool", "results"}, {"invocations"}),  # 3.14; results are required where a scan ran
    "tool": ({"driver"}, set()),  # 3.18
    "toolComponent": ({"name"}, {"semanticVersion", "rules"}),  # 3.19
    "reportingDescriptor": ({"id"}, {"shortDescription"}),  # 3.49
    "multiformatMessageString": ({"text"}, set()),  # 3.12
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),  # 3.20
    "notification": ({"message"}, {"level", "locations"}),  # 3.58
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations"}),  # 3.27
    "message": ({"text"}, set()),  # 3.11: text or id
    "location": (set(), {"physicalLocation", "id", "message"}),  # 3.28
    "physicalLocation": ({"artifactLocation"}, {"region"}),  # 3.29: that or an address
    "artifactLocation": ({"uri"}, set()),  # 3.4: uri or index
    "region": ({"startLine"}, set()),  # 3.30: of a text
}
LEVELS = {"none", "note", "warning", "error"}  # 3.27.10
URI = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})+")  # RFC 3986, a reference
CHILDREN = {
    "runs": "run", "tool": "tool", "driver": "toolComponent", "rules": "reportingDescriptor", "shortDescription": "multiformatMessageString",
    "invocations": "invocation", "toolExecutionNotifications": "notification", "results": "result", "message": "message",
    "locations": "location", "relatedLocations": "location", "physicalLocation": "physicalLocation",
    "artifactLocation": "artifactLocation", "region": "region",
}  # fmt: skip
LISTS = {"runs", "rules", "invocations", "toolExecutionNotifications", "results", "locations", "relatedLocations"}


def faults_of(log):
    """What of a log is not as the specification has it."""
    faults = list(_faults(log, "sarifLog", "log"))
    for run in log.get("runs", []):
        rules = [rule.get("id") for rule in run.get("tool", {}).get("driver", {}).get("rules", [])]
        if len(set(rules)) != len(rules):  # 3.19.23: unique
            faults.append(f"rules: {rules}")
        for result in run.get("results", []):
            index = result.get("ruleIndex", -1)
            if not 0 <= index < len(rules) or rules[index] != result.get("ruleId"):  # 3.27.6
                faults.append(f"ruleIndex {index} is not of {result.get('ruleId')}")
            ids = [location.get("id") for location in result.get("relatedLocations", [])]
            if None in ids or len(set(ids)) != len(ids) or any(each < 0 for each in ids):  # 3.28.2
                faults.append(f"ids: {ids}")
    if log.get("version") != "2.1.0":  # 3.13.2
        faults.append("version")
    return faults


def _faults(value, kind, where):
    required, optional = OBJECTS[kind]
    if not isinstance(value, dict):
        yield f"{where} is no object"
        return
    for name in required - value.keys():
        yield f"{where} has no {name}"
    for name in value.keys() - required - optional:
        yield f"{where} has a property {name} that this test does not know"
    for name, child in value.items():
        if name in LISTS and not isinstance(child, list):
            yield f"{where}.{name} is no list"
        elif name in CHILDREN:
            for i, each in enumerate(child if name in LISTS else [child]):
                yield from _faults(each, CHILDREN[name], f"{where}.{name}[{i}]")
    if "level" in value and value["level"] not in LEVELS:
        yield f"{where}.level is {value['level']}"
    if kind == "region" and not (isinstance(value.get("startLine"), int) and value["startLine"] >= 1):  # 3.30.5
        yield f"{where}.startLine is {value.get('startLine')}"
    if kind == "artifactLocation" and not URI.fullmatch(value.get("uri", "")):  # 3.10.2
        yield f"{where}.uri is {value.get('uri')}"
    for name in ("text", "id", "name", "ruleId", "semanticVersion"):
        if name in value and not (isinstance(value[name], int) if kind == "location" else isinstance(value[name], str) and value[name]):
            yield f"{where}.{name} is {value[name]!r}"
