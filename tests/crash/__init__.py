"""Crashes, failing disks, power cuts, flipped bits: whatever happens, the old commit or the new one."""
