"""A provider's batch API: requests that wait at the same time are sent as one."""
