import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SequencedEvent } from '../../contract/control/events.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { smokeProject, startCli, type RunningCli } from '../helpers/cli.ts'
import { clientOf, eventsUntil, pageHeaders } from '../helpers/engine-process.ts'

let root: string
let serving: RunningCli
const lines: string[] = []
const waiting: (() => void)[] = []

/** Resolves with the first line that fits, printed already or later. */
async function line(fits: (text: string) => boolean): Promise<string> {
  for (;;) {
    const found = lines.find(fits)
    if (found !== undefined) return found
    await new Promise<void>((done) => waiting.push(done))
  }
}

beforeEach(async () => {
  root = await smokeProject()
  lines.length = 0
  serving = startCli(['serve', '--project', root, '--port', '0', '--no-open', '--json'])
  createInterface({ input: serving.child.stdout! }).on('line', (text) => {
    lines.push(text)
    waiting.splice(0).forEach((wake) => wake())
  })
})
afterEach(async () => {
  serving.child.kill('SIGTERM')
  await serving.done
  await rm(root, { recursive: true, force: true })
})

it('prints a link that opens once, and the events that the panel gets; an engine that is killed restarts and its run continues', async () => {
  const link = new URL(await line((text) => text.startsWith('http://')))
  const opened = await fetch(link, { redirect: 'manual' })
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(403)
  const panel = clientOf(link.origin, pageHeaders(opened))

  const request = { run_id: 'served', dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'], repeats: 8 }
  await panel.runs.start(request)
  const before = await eventsUntil(
    panel,
    { after: 0 },
    (_, seen) => seen.filter(({ event }) => event.type === 'cell.finished').length >= 5,
  )
  const { pid, engine_id: engineId } = await panel.system.status()
  process.kill(pid, 'SIGKILL')
  const stored = before.flatMap(({ event }) => (event.type === 'cell.finished' ? [event.row_id] : []))

  // Same address, same session: the page only has to ask again.
  const again = (text: string): boolean => text.includes('"stream.opened"') && !text.includes(engineId)
  await line(again)
  expect(await panel.runs.interrupted()).toMatchObject([{ run_id: 'served', state: 'interrupted', resumable: true }])
  await panel.runs.resume({ run_id: 'served' })
  const after = await eventsUntil(
    panel,
    { after: 0 },
    (event) => event.type === 'run.changed' && event.job.state === 'completed',
  )
  const last = JSON.stringify(after.at(-1))
  await line((text) => text === last)

  const evidence = join(root, 'results/served-smoke-evidence.jsonl')
  const rows = (await readFile(evidence, 'utf8')).trim().split('\n')
  const ids = rows.map((text) => (JSON.parse(text) as { row_id: string }).row_id)
  expect([ids.length, new Set(ids).size]).toEqual([64, 64])
  expect(ids).toEqual(expect.arrayContaining(stored))
  expect(await verifyEvidence(evidence)).toMatchObject({ ok: true, rows: 64 })

  // Command line, panel and log: one stream.
  const printed = lines.filter((text) => text.startsWith('{')).map((text) => SequencedEvent.parse(JSON.parse(text)))
  const ofSecond = printed.slice(printed.findLastIndex(({ event }) => event.type === 'stream.opened'))
  const withoutStream = (events: readonly SequencedEvent[]): SequencedEvent[] =>
    events.filter(({ event }) => !event.type.startsWith('stream.'))
  expect(withoutStream(ofSecond).slice(0, withoutStream(after).length)).toEqual(withoutStream(after))
  const folder = join(root, '.rag-ladder/logs')
  const [first, second] = (await readdir(folder)).toSorted()
  const logged = async (name: string): Promise<SequencedEvent[]> =>
    (await readFile(join(folder, name), 'utf8'))
      .trim()
      .split('\n')
      .map((text) => SequencedEvent.parse(JSON.parse(text)))
  expect((await logged(first!)).slice(0, withoutStream(before).length)).toEqual(withoutStream(before))
  expect((await logged(second!)).slice(0, withoutStream(after).length)).toEqual(withoutStream(after))
})

it('a host that is killed takes the engine and its platform with it, and loses no row of their run', async () => {
  const link = new URL(await line((text) => text.startsWith('http://')))
  const panel = clientOf(link.origin, pageHeaders(await fetch(link, { redirect: 'manual' })))
  await panel.runs.start({ run_id: 'served', dataset_ids: ['smoke'], models: ['vanilla-rag'], repeats: 16 })
  const seen = await eventsUntil(panel, { after: 0 }, (event) => event.type === 'cell.finished')
  const stored = seen.flatMap(({ event }) => (event.type === 'cell.finished' ? [event.row_id] : []))
  const { pid } = await panel.system.status()
  const platform = (await panel.services.list()).find(({ name }) => name === 'platform')!.pid!
  serving.child.kill('SIGKILL')
  await serving.done
  const isAlive = (each: number): boolean => {
    try {
      return process.kill(each, 0)
    } catch {
      return false
    }
  }
  await expect.poll(() => [pid, platform].filter(isAlive), { timeout: 30_000 }).toEqual([])
  const evidence = join(root, 'results/served-smoke-evidence.jsonl')
  const rows = (await readFile(evidence, 'utf8')).trim().split('\n')
  expect(rows.map((text) => (JSON.parse(text) as { row_id: string }).row_id)).toEqual(expect.arrayContaining(stored))
  expect(await verifyEvidence(evidence)).toMatchObject({ ok: true })
})
