import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ControlEvent } from '../../contract/control/events.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { smokeProject } from '../helpers/cli.ts'
import { eventsUntil, startEngine } from '../helpers/engine-process.ts'
import { randomFrom } from '../helpers/random.ts'

export interface EngineKillReport {
  kills: number
  rows: number
  /** Rows that the panel was told to be stored. */
  acknowledged: number
  problems: string[]
}

const RUN = 'killed'
const MODELS = ['vanilla-rag', 'hybrid-rag']
/** Of the four questions of `smoke`. */
const REPEATS = 20

/**
 * Kills the engine, which serves the panel and starts the platform, again and again during one run that a client of the panel watches: after some cells of
 * each life, at a random moment. The run is resumed from what is offered, and must end with each cell once.
 */
export async function runEngineKills(kills: number, seed: number): Promise<EngineKillReport> {
  const random = randomFrom(seed)
  const root = await smokeProject()
  const evidence = join(root, `results/${RUN}-smoke-evidence.jsonl`)
  const problems: string[] = []
  const acknowledged = new Set<string>()
  const cells = MODELS.length * 4 * REPEATS
  const note = (event: ControlEvent): void => {
    if (event.type !== 'cell.finished' || event.reused) return
    if (acknowledged.has(event.row_id)) problems.push(`${event.row_id} was made twice`)
    acknowledged.add(event.row_id)
  }
  let engine = await startEngine(root)
  try {
    await engine.client.runs.start({ run_id: RUN, dataset_ids: ['smoke'], models: MODELS, repeats: REPEATS })
    for (let kill = 1; kill <= kills; kill += 1) {
      const wanted = Math.floor((cells * kill) / (kills + 1))
      const seen = await eventsUntil(engine.client, { after: 0 }, (_, all) => {
        const made = all.filter(({ event }) => event.type === 'cell.finished' && !event.reused).length
        return acknowledged.size + made >= wanted
      })
      await delay(random() * 50)
      await engine.kill()
      for (const { event } of seen) note(event)
      const stored = new Set(idsIn(await readFile(evidence, 'utf8')))
      for (const rowId of acknowledged) if (!stored.has(rowId)) problems.push(`${rowId} was lost by kill ${kill}`)
      engine = await startEngine(root)
      const [offer] = await engine.client.runs.interrupted()
      if (offer?.run_id !== RUN || !offer.resumable) problems.push(`the run is not offered after kill ${kill}`)
      await engine.client.runs.resume({ run_id: RUN })
    }
    const seen = await eventsUntil(
      engine.client,
      { after: 0 },
      (event) => event.type === 'run.changed' && event.job.run_id === RUN && event.job.state === 'completed',
    )
    for (const { event } of seen) note(event)
    const ids = idsIn(await readFile(evidence, 'utf8'))
    if (ids.length !== cells || new Set(ids).size !== cells)
      problems.push(`${ids.length} rows of ${new Set(ids).size} cells for ${cells}`)
    const verified = await verifyEvidence(evidence)
    problems.push(...verified.problems.map(({ message }) => message))
    return { kills, rows: ids.length, acknowledged: acknowledged.size, problems }
  } finally {
    await engine.stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Ids of the complete rows. */
const idsIn = (text: string): string[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { row_id: string }).row_id)
