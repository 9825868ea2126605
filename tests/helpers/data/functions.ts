/**
 * What the host sees of the app. The keys of callers and the histories of drains are stored under these names: a change loses
 * them.
 */
export const FUNCTIONS: readonly string[] = `
cancel-batch POST batches/{id}/cancel function durableClient
clear-queue POST queues/{queue}/clear function durableClient
dashboard GET dashboard anonymous
dashboard-file GET dashboard/{file} anonymous
delete-batch DELETE batches/{id} function durableClient
delete-inbox-file DELETE inbox function
dequeue-batch activityTrigger
discard-dead-letters POST batches/{id}/dead-letters/discard function durableClient
drain-now POST queues/{queue}/drain function durableClient
drain-queue orchestrationTrigger
find-items GET batches/{id}/items function
finish-wave activityTrigger
get-audit GET audit function
get-batch GET batches/{id} function
get-cost GET cost function
get-dead-letters GET batches/{id}/dead-letters function
get-history GET history function
get-item GET batches/{id}/items/{position} function
get-overview GET overview function
get-policy GET queues/{queue}/policy function
get-queue GET queues/{queue} function
get-report GET batches/{id}/report function
get-results GET batches/{id}/results function
health GET health anonymous
import-batch POST workloads/{workload}/batches/from-url function
list-batches GET batches function
list-dead-letters GET dead-letters function
list-inbox GET inbox function
list-queues GET queues function
openapi GET openapi.json anonymous
pause-batch POST batches/{id}/pause function
pause-queue POST queues/{queue}/pause function
put-policy PUT queues/{queue}/policy function
redrive-dead-letters POST batches/{id}/dead-letters/redrive function durableClient
resume-batch POST batches/{id}/resume function durableClient
resume-queue POST queues/{queue}/resume function durableClient
retry-inbox-file POST inbox/retry function
run-sweep POST sweep function durableClient
scan-inbox timerTrigger durableClient
submit-batch POST workloads/{workload}/batches function durableClient
sweep timerTrigger durableClient
try-upload POST workloads/{workload}/try function
wake-drain serviceBusTrigger durableClient
`
  .trim()
  .split('\n');
