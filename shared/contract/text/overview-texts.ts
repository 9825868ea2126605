/** The kinds of trouble in `GET overview`, as dashboard and command show them. */
export const TROUBLES = {
  late: { title: 'Late batches', note: 'Their deadline has passed and they are not complete.' },
  atRisk: { title: 'Batches at risk', note: 'At the current rate they will miss their deadline.' },
  failedReports: { title: 'Failed reports', note: 'No item is pending, but there is no report.' },
  suspect: {
    title: 'Suspect batches',
    note: 'None of their first items is valid: probably the wrong file or lane.',
  },
  pausedBatches: { title: 'Paused batches', note: 'None of their chunks starts until an operator resumes them.' },
  pausedQueues: { title: 'Paused queues', note: 'New uploads wait until the pause ends.' },
  deadLetters: { title: 'Dead letters', note: 'Of batches of the last 24 hours, by cause.' },
  stuck: { title: 'Stuck drains', note: 'They hold their queue but make no progress; a sweep replaces them.' },
  missedWakes: {
    title: 'Missed wakes',
    note: 'In the last 24 hours the sweep found work here that no event had announced.',
  },
  poison: {
    title: 'Poison messages',
    note: 'No consumer can read them: another program or a faulty release wrote them. No batch depends on them.',
  },
  inboxRejects: { title: 'Rejected files', note: 'They can be retried in the inbox, corrected or not.' },
} as const;
