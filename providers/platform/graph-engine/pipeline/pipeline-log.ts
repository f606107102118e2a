import type { GraphPipelineStatus } from '../../../../contract/index.ts'

/** What the pipeline tells about itself; kept in memory, since the documents' own states are durable. */
export interface PipelineLog {
  begin(docs: number): void
  /** More documents came in while it was busy. */
  grow(docs: number): void
  documentDone(message: string): void
  say(message: string): void
  end(message: string): void
  status(state: { busy: boolean; requestPending: boolean; cancelling: boolean }): GraphPipelineStatus
}

/** A log of the last `lines` messages. */
export function createPipelineLog(lines: number, clock: () => number): PipelineLog {
  const history: string[] = []
  let startedMs: number | null = null
  let docs = 0
  let done = 0
  const say = (message: string) => {
    history.push(`${new Date(clock()).toISOString()} ${message}`)
    if (history.length > lines) history.shift()
  }
  return {
    begin(count) {
      startedMs = clock()
      docs = count
      done = 0
      say(`started with ${count} documents`)
    },
    grow(count) {
      docs = Math.max(docs, done + count)
    },
    documentDone(message) {
      done += 1
      docs = Math.max(docs, done)
      say(message)
    },
    say,
    end: say,
    status: ({ busy, requestPending, cancelling }) => ({
      autoscanned: true,
      busy,
      job_name: busy ? 'extracting documents' : 'idle',
      job_start: startedMs === null ? null : new Date(startedMs).toISOString(),
      docs,
      batchs: docs,
      cur_batch: done,
      request_pending: requestPending,
      cancellation_requested: cancelling,
      latest_message: history.at(-1) ?? '',
      history_messages: [...history],
      update_status: {},
    }),
  }
}
