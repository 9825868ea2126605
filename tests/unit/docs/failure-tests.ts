/**
 * The tests of each row of docs/failures.md: file and title, or what is not tested. `%i`, `%s` and `$name` in a title stand
 * for one test per write or case. `faults/gate` and `faults/chunk-life` are explorers: a crash there means a crash at each
 * call. `every-call` ends the process after each call of a small batch.
 */
export const FAILURE_TESTS: Readonly<Record<string, readonly string[]>> = {
  'a client disconnects, or a process dies, during an upload': [
    'tests/unit/intake/store/write-payload.test.ts: rethrows errors of its chunks, and leaves nothing visible',
    'tests/integration/pipeline/bad-input.test.ts: a client that disconnects during an upload leaves no batch',
    'tests/unit/batches/keys.test.ts: passes to the next upload, with the same batch id, when the first has been silent for a minute',
    'not tested: a process that is killed between two blocks',
  ],
  'a crash after the payload, before acceptance': [
    'tests/integration/sweep/sweep.test.ts: at write %i is continued, or leaves nothing',
    'tests/integration/sweep/chores.test.ts: payloads without a batch are deleted one day after they were written',
  ],
  'a crash after acceptance, before all references are sent': [
    'tests/integration/sweep/sweep.test.ts: at write %i is continued, or leaves nothing',
    'tests/integration/commands/cancel.test.ts: after write $at of the intake, with $present rows, ends the whole batch',
  ],
  'a crash after acceptance, before the key row is finished': [
    'tests/unit/intake/accept.test.ts: returns the accepted batch to an upload that one with the same content has overtaken',
    'tests/unit/intake/accept.test.ts: refuses an upload that one with other content has overtaken, and keeps the accepted batch',
    'tests/unit/batches/keys.test.ts: passes to the next upload, with the same batch id, when the first has been silent for a minute',
    'not tested: a process that dies between these two writes',
  ],
  'a crash after the references, before the wake event': [
    'tests/integration/sweep/sweep.test.ts: at write %i is continued, or leaves nothing',
    'tests/faults/gate/gate.test.ts: one crash, anywhere and of any kind',
  ],
  'a crash after the event, before the gate is acquired': [
    'tests/faults/gate/gate.test.ts: one crash, anywhere and of any kind',
    'packages/functions-local/tests/integration/service-bus/failures.test.ts: before a completion fails it, and the message is redelivered after its lock expires',
    'tests/integration/sweep/sweep.test.ts: is found when its message is old, is counted, and is repeated',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after the gate is acquired, before the drain starts': [
    'tests/integration/sweep/sweep.test.ts: whose drain was never started gets it started',
    'tests/unit/gate/gate.test.ts: a drain that never sent a heartbeat is started again with the same id, since its first waker may have died',
    'tests/faults/gate/gate.test.ts: two crashes',
  ],
  'a crash within an orchestrator turn': [
    'packages/functions-local/tests/integration/durable/faults.test.ts: an episode that fails %s its effect leads to the same result',
    'packages/functions-local/tests/integration/durable/crash.test.ts: a fan-out that is killed repeatedly completes exactly: only activities that were running run twice',
    'tests/integration/pipeline/crash.test.ts: produces an exact report although instances are killed one after the other during the drain',
  ],
  'a crash in finish-wave, before the gate is released': [
    'tests/faults/gate/gate.test.ts: one crash, anywhere and of any kind',
    'tests/unit/gate/finish-wave.test.ts: with its wake sent before the gate is released',
    'tests/unit/drain/drain-queue.test.ts: a `finish-wave` that fails is retried after 2, 4 and 8 seconds',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash in finish-wave, after the gate is released': [
    'tests/faults/gate/gate.test.ts: one crash, anywhere and of any kind',
    'tests/unit/gate/finish-wave.test.ts: is not changed by a drain that no longer holds its gate',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
    'not tested: the lost `QueueEmpty`',
  ],
  'a drain fails, or reports Running indefinitely': [
    'tests/integration/sweep/sweep.test.ts: whose drain is %s is taken over',
    'tests/integration/sweep/sweep.test.ts: whose drain is reported as Running is trusted for ten minutes after its last heartbeat',
    'tests/faults/gate/gate.test.ts: a crash and a clock jump: slow old drains',
  ],
  'a crash after a receive, before an outcome': [
    'tests/integration/pipeline/crash.test.ts: redelivers the message of a crashed consumer to another one after the visibility timeout',
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
  ],
  'an item ends or blocks its thread': [
    'tests/integration/processing/thread-death.test.ts: is not charged to an item that runs alone after it, which then gets a fresh thread',
    'tests/integration/processing/thread-death.test.ts: %s is a dead letter, and its neighbours are not charged',
    'tests/integration/processing/thread-death.test.ts: does not hide others of its kind, and each further call is caused by a death',
    'tests/integration/processing/thread-death.test.ts: does not lose items that ended before the last copy: they are not called again',
    'tests/integration/processing/thread-death.test.ts: is charged with a timeout, and no other item is; it runs alone when it is tried again',
  ],
  'an error that no handler awaited': [
    'tests/integration/processing/thread-death.test.ts: (%s) is charged to its item in flight once that runs alone, and to no other item',
    'tests/integration/processing/thread-death.test.ts: after the end of its item is charged to no item, and logged',
    'tests/integration/processing/thread-death.test.ts: of a shared connection is not charged to one item for the others',
  ],
  'an item does not answer in time': [
    'tests/integration/processing/thread-death.test.ts: is charged with a timeout while its thread continues',
  ],
  'a process with a share of limits dies': [
    'tests/unit/limits/claim.test.ts: of a process that died is free after its lease has ended',
    'tests/unit/limits/claim.test.ts: does not release the items of a process that died until their calls have timed out',
  ],
  'a process is frozen beyond the lease of its limits': [
    'tests/unit/limits/limiter.test.ts: starts nothing after its lease has expired, and continues after a renewal',
  ],
  'an item kills its process': [
    'tests/integration/failures/handlers.test.ts: an item that crashes the whole process repeatedly is found by splitting',
    'tests/faults/chunk-life/chunk-life.test.ts: killed',
  ],
  'a crash in a chunk of a batch that was cancelled': [
    'tests/faults/chunk-life/chunk-life.test.ts: deep: cancelled, and a process dies',
  ],
  'a cancel while two workers have one reference': [
    'tests/faults/chunk-life/chunk-life.test.ts: deep: cancelled, and stopped by one of two workers with one reference',
  ],
  'a crash after the outcome, before the result message': [
    'tests/unit/processing/items-round.test.ts: an outcome that was stored although its answer was lost is found, and nothing runs again',
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash while a round collects a small batch': [
    'tests/faults/chunk-life/chunk-life.test.ts: collected where it ran, and the process dies',
    'tests/unit/processing/publish/round-publisher.test.ts: keeps its references while storage is unavailable: they are visible again in five seconds',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after the result message, before its wake': [
    'tests/unit/processing/publish/publish-results.test.ts: the result message is put before the wake event is sent, and both happen before a reference is deleted',
    'tests/integration/sweep/sweep.test.ts: of a result queue is found, too',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after the result message, before the references are deleted': [
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/integration/lost-replies/messages.test.ts: a batch ends exactly, although the answer to a %s was lost',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash before the collecting transaction': [
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after it, before references of follow-ups are sent': [
    'tests/unit/batches/apply/apply-outcomes.test.ts: that is delivered again counts as a duplicate, and its pending follow-ups are returned',
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after it, before an event': [
    'tests/unit/results/collect-batch.test.ts: dead letters are published, and logged for the alert, although %s after the transaction',
    'tests/unit/results/collect-events.test.ts: that was not published because of a crash is published by the next delivery, with the same id, and not by a copy',
    'tests/integration/sweep/batch-events.test.ts: is published again, with the same id, when a process dies at write %i of the collection',
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after a deadline is found at risk, before its event': [
    'tests/unit/results/collect-events.test.ts: is published when the message is delivered again, if the topic was unavailable after the transaction',
    'tests/unit/events/warn-of-risk.test.ts: an event that could not be published is published at the next check',
  ],
  'a crash before the result message is deleted': [
    'tests/faults/chunk-life/chunk-life.test.ts: a process dies at any point',
    'tests/unit/results/finalize.test.ts: a repeat changes nothing and publishes nothing again',
    'tests/faults/every-call/every-call.test.ts: the small batch ends with the exact report, whichever call fails in whichever way',
  ],
  'a crash after the report, before the batch is finished': [
    'tests/integration/sweep/sweep-batches.test.ts: that is interrupted at write %i happens once',
    'tests/integration/lost-replies/blobs.test.ts: a report whose put was answered too late is finished and announced once',
  ],
  'a crash after the batch is finished, before its event': [
    'tests/integration/sweep/sweep-batches.test.ts: that is interrupted at write %i happens once',
    'tests/unit/results/finalize.test.ts: a batch that was finished and not announced is announced by the next finisher',
  ],
  'a crash after the event, before the row open is removed': [
    'tests/integration/sweep/sweep-batches.test.ts: that is interrupted at write %i happens once',
  ],
  'a crash while a file is taken': [
    'tests/integration/sweep/sweep-batches.test.ts: whose collection is interrupted at write %i becomes one batch',
  ],
  'two pools, or two versions of the app, scan the inbox': [
    'tests/unit/intake/inbox/app-files.test.ts: create one batch per file if both run at the same time',
    'tests/unit/intake/inbox/app-files.test.ts: two versions that disagree about the pool of a workload create one batch from its file',
    'tests/unit/intake/inbox/app-files.test.ts: a file of a new workload waits while %s still runs the previous version',
  ],
  'a crash while a blob named by a message is taken': [
    'tests/unit/intake/inbox/named-file.test.ts: becomes one batch after a crash at any write, whether the message or an inbox scan comes next',
    'tests/unit/intake/inbox/named-file.test.ts: becomes one batch if an inbox scan takes it at the same time',
    'tests/integration/pipeline/side-by-side.test.ts: creates one batch from a blob that two messages name while the inbox takes it, too',
  ],
  'the time is up while a named blob is read': [
    'tests/unit/intake/inbox/named-file.test.ts: continues from its checkpoint after a crash',
  ],
  'a named blob kills its process': [
    'tests/unit/processing/adopt.test.ts: that crashes one process after the other is finally moved to the poison queue',
  ],
  'reading a file ends the process': [
    'tests/unit/intake/inbox/crashing-file.test.ts: is rejected after three tries, of which the last was alone in its process',
    'tests/unit/intake/inbox/crashing-file.test.ts: a file whose reading failed in a process that survived is not charged',
  ],
  'a crash while a file is rejected': [
    'tests/integration/pipeline/inbox/inbox-rejected.test.ts: is published before it is moved, and again if the event was lost',
  ],
  'a crash while a file is imported': [
    'tests/integration/pipeline/inbox/inbox-import.test.ts: becomes one batch after a crash before its order is removed',
  ],
  'a crash while a rejected file is retried': [
    'tests/integration/pipeline/inbox/inbox-rejected.test.ts: becomes one batch if its retry is repeated after a crash that followed the copy',
  ],
  'a crash while a large file is read': [
    'tests/unit/intake/inbox/resume.test.ts: %s becomes the same batch after a crash at any write',
    'tests/unit/intake/inbox/resume.test.ts: is finished although every process crashes after a few writes',
    'tests/unit/intake/inbox/resume.test.ts: whose blocks no longer exist is deleted, and the next scan starts from the beginning',
  ],
  'a frozen process comes back to a file that another one has taken': [
    'tests/unit/intake/inbox/resume.test.ts: create one complete batch, wherever the first freezes while the second takes over',
    'tests/unit/intake/inbox/resume.test.ts: create one complete batch if the second crashes, the first continues, and a third starts',
  ],
  'the references take longer than a minute: a million chunks, or slow storage': [
    'tests/unit/intake/continue-intake.test.ts: ends after its time with the batch in enqueueing, and continues behind the last recorded reference',
    'tests/integration/sweep/large-intake.test.ts: an upload whose references take too long is answered, and each sweep continues where the last one ended',
  ],
  'the time of a scan is over': [
    'tests/unit/intake/inbox/resume.test.ts: ends the reading with a checkpoint, and the next scan continues',
  ],
  'a crash while a file is taken whose content may not repeat': [
    'tests/unit/intake/inbox/repeated-content.test.ts: becomes one batch after a crash at any write, whichever of two files comes next',
    'tests/unit/batches/content-keys.test.ts: passes to one of two batches that take over a dead claim at the same time',
  ],
  'a crash during a cancel': [
    'tests/integration/commands/cancel.test.ts: at write %i is continued by the sweep',
    'tests/integration/commands/cancel.test.ts: is continued by the sweep one visibility timeout later, when every worker has stopped its chunk',
    'tests/faults/chunk-life/chunk-life.test.ts: cancelled at any point',
  ],
  'a crash while a queue is cleared': [
    'tests/integration/commands/clear.test.ts: continues after a crash at its write %i when it is repeated',
    'tests/integration/commands/clear.test.ts: is completed by the sweep after a crash between cancel and deletion',
  ],
  'a crash during a pause': [
    'tests/unit/commands/pause.test.ts: returns the present row if it is repeated or its response was lost',
    'tests/unit/commands/pause.test.ts: a pause succeeds while the topic is unavailable, and its repeat publishes the event',
  ],
  'a crash during a halt': [
    'tests/unit/results/collect-batch.test.ts: a batch that was paused by its rule gets its alert and its event even if the process crashes after the pause',
    'tests/faults/chunk-life/chunk-life.test.ts: halted, and a collector or the resume dies',
  ],
  'a crash during a resume': [
    'tests/integration/commands/pause.test.ts: at write %i is continued by the sweep',
    'tests/faults/chunk-life/chunk-life.test.ts: halted, and a collector or the resume dies',
  ],
  'a crash during a redrive': [
    'tests/integration/commands/redrive.test.ts: at write %i is completed by the sweep, or by its repeat',
  ],
  'a crash while dead letters are discarded': [
    'tests/integration/commands/discard.test.ts: at write %i is completed by the sweep, or by its repeat',
    'tests/faults/chunk-life/chunk-life.test.ts: discarded',
  ],
  'a crash during a redrive of the report alone': [
    'tests/unit/commands/redrive/redrive-report.test.ts: is completed by %s',
  ],
  'a crash during a deletion': [
    'tests/integration/commands/delete.test.ts: is continued by the sweep after an interruption at any write',
  ],
  'a batch is deleted while another operation on it waits': [
    'tests/faults/deletion/deletion.test.ts: leaves nothing, at whichever call of $title it comes',
  ],
  'a batch is deleted before its inbox file is moved': [
    'tests/integration/commands/delete.test.ts: deletes a file that a dead process has left in the inbox, which becomes no other batch',
    'tests/integration/commands/delete.test.ts: keeps a file out of the inbox scan that the service does not let it delete',
  ],
  'a crash during a sweep': [
    'tests/faults/random/random.test.ts: nothing is lost, doubled or stuck under random faults',
    'not tested: a sweep that is killed by itself: only random runs end a host that may be sweeping',
  ],
  'an instance is killed': [
    'tests/integration/instances.test.ts: finishes a batch with an exact report when an instance dies during its run',
    'packages/functions-local/tests/integration/instances/instances.test.ts: leaves its timers to another one, and its activities after their visibility timeout',
  ],
  'an instance is frozen and comes back': [
    'packages/functions-local/tests/integration/instances/instances.test.ts: keeps its connections, loses its activity, and receives no more work',
    'tests/unit/processing/items-round.test.ts: the outcome of a worker that has lost its lease is stored, and counts',
    'tests/faults/gate/gate.test.ts: an instance comes back after 90 s',
    'not tested: the app on a frozen instance',
  ],
  'a deployment without a [pause](deploy.md#running-work)': [
    'tests/integration/pipeline/crash.test.ts: produces an exact report although instances are killed one after the other during the drain',
    'tests/integration/failures/gentle-deployment.test.ts: a deployment under load repeats no item and lets no reference wait for its lease',
  ],
  'an instance is stopped (scale-in)': [
    'tests/integration/instances.test.ts: keeps the finished items of a drained instance, and runs only the others on another instance',
    'tests/unit/processing/running-chunks.test.ts: when the process is about to end, running chunks and beginning chunks are returned',
    'tests/faults/chunk-life/chunk-life.test.ts: returned by a process that ends, at any point',
    'tests/integration/processing/processor.test.ts: that is closed rejects running, waiting and new chunks',
  ],
  'the topic cannot be reached': [
    'tests/integration/pipeline/crash.test.ts: finishes a batch that is uploaded while the broker is unavailable',
    'tests/unit/events/wake-fallback.test.ts: a wake that cannot be published has a fallback; any other event fails, so that its caller repeats it',
    'tests/unit/results/collect-round.test.ts: after an outage of %s, a message is visible again in five seconds, and the gate records that time',
    'tests/integration/sweep/sweep.test.ts: makes the sweep wake the queues of repaired batches',
  ],
  'slow items, and more chunks than threads': [
    'tests/unit/drain/slow-items.test.ts: twelve items of 400 s%s start once each, one after the other, and no invocation exceeds its limit',
    'tests/unit/processing/items-round.test.ts: because another one runs isolated%s is returned uncharged, and not begun later',
    'tests/faults/chunk-life/chunk-life.test.ts: returned because it cannot begin, by workers that may die',
    'tests/unit/gate/finish-wave.test.ts: is followed by waves of one message until one is finished, because all threads are busy',
  ],
  'a service does not respond until shortly before functionTimeout': [
    'tests/unit/drain/activities.test.ts: ends with a fault before the limit of its invocation, although a service never responds',
  ],
  'storage is unavailable': [
    'tests/unit/processing/items-round.test.ts: no chunk is killed because storage fails with %s, however often',
    'tests/unit/processing/publish/round-publisher.test.ts: keeps its references while storage is unavailable: they are visible again in five seconds',
    'tests/unit/gate/finish-wave.test.ts: even after such a wake if its wave could not receive, because a service must recover first',
    'tests/faults/random/random.test.ts: nothing is lost, doubled or stuck under random faults',
  ],
  'the service that a handler calls is unavailable': [
    'tests/integration/failures/outage.test.ts: opens the circuit, charges no attempts, and the drain continues by itself after the outage',
  ],
  'a deployment with changed orchestrator code': [
    'tests/integration/failures/deployment.test.ts: with changed orchestrator code ends in an exact report after a sweep has taken over the failed drain',
  ],
  'a deployment without a workload that has open batches': [
    'tests/integration/sweep/sweep-batches.test.ts: is not changed, and its workload is logged by the sweep; pool %s',
    'tests/integration/sweep/sweep-batches.test.ts: keeps the unpublished event of its end after a crash',
    'tests/integration/commands/cancel.test.ts: is refused, and changes nothing, if its workload is no longer deployed',
    'tests/unit/drain/activities.test.ts: receives nothing, logs it, and releases its gate without touching its messages',
  ],
  'no worker thread starts': [
    'tests/integration/failures/thread-start.test.ts: shows the error with the batch and its queue; once repaired, the batch ends without a failed attempt',
    'tests/integration/processing/processor.test.ts: whose threads %s rejects',
  ],
  'the runtime starts no orchestration': [
    'tests/integration/sweep/sweep.test.ts: do not affect the work while the runtime refuses %s, until one can be started',
  ],
};
