"""Care of a store, beside the way of an update or a search: generations, snapshots, rollback, verify, repair, sweeping."""
