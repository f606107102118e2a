import { createHash } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import type { ExportChunk } from '../../contract/control/stored-runs.ts'
import type { RunJob } from '../../contract/control/run-job.ts'
import { type ControlClient, eventsUntil } from './engine-process.ts'

/** Starts a run and waits for its end, and until the index has everything that it made. */
export async function ranToEnd(client: ControlClient, runId: string, start: () => Promise<unknown>): Promise<RunJob> {
  const { seq } = await client.system.status()
  await start()
  const isOver = (event: ControlEvent): boolean =>
    event.type === 'run.changed' && event.job.run_id === runId && ['completed', 'failed'].includes(event.job.state)
  const last = (await eventsUntil(client, { after: seq }, isOver)).at(-1)!.event as Extract<
    ControlEvent,
    { type: 'run.changed' }
  >
  await vi.waitFor(async () => expect((await client.index.verify()).ok).toBe(true), { timeout: 20_000, interval: 100 })
  return last.job
}

/** A file that came in chunks, whose size and checksum must be those that were announced. */
export async function exported(stream: Promise<AsyncIterable<ExportChunk>>) {
  const chunks = await Array.fromAsync(await stream)
  const [begin, end] = [chunks[0]!, chunks.at(-1)!]
  if (begin.type !== 'begin' || end.type !== 'end') throw new Error('not a whole file')
  const text = chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('')
  expect(end).toEqual({
    type: 'end',
    size_bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  })
  return { name: begin.file_name, text }
}
