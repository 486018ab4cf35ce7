"""Releases of records that others sum up say so, and differ in nothing else."""

import json

import karcher


def but_for_remote(release: karcher.Release, is_remote: bool) -> str:
    """A release as JSON, without the flag that its sums are remote; it has the flag just where they are."""
    said = json.loads(release.to_json())
    assert ("remote-sums" in said["flags"]) == is_remote
    said["flags"] = [flag for flag in said["flags"] if flag != "remote-sums"]
    return json.dumps(said)


def is_the_same_but_says_so(remote: karcher.Release, local: karcher.Release) -> bool:
    """Whether a release of remote records is that of the same records here, with the flag that its sums are remote."""
    return but_for_remote(remote, True) == but_for_remote(local, False)
