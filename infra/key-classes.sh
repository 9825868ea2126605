# The functions of each class of callers. Written by `npm run generate` from the table of routes.
client='submit-batch try-upload list-batches get-batch get-results get-report get-item find-items get-dead-letters import-batch list-inbox'
operator='cancel-batch pause-batch resume-batch delete-batch list-dead-letters redrive-dead-letters discard-dead-letters retry-inbox-file delete-inbox-file list-queues get-queue pause-queue resume-queue drain-now clear-queue get-policy put-policy get-overview get-cost get-history get-audit run-sweep'
