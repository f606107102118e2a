import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFileOps, type FileOps, type LogFile } from '../../main/evidence/files/file-ops.ts'
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { sampleCells, sampleIdentity, sampleRow } from '../helpers/evidence-rows.ts'

export interface AppendOverheadFigures {
  /** Milliseconds per cell for claim and append, one cell after the other: median and 95th percentile. */
  withSync: { p50Ms: number; p95Ms: number }
  /** The same on a disk whose sync does nothing: what the log itself costs. */
  withoutSync: { p50Ms: number; p95Ms: number }
  /** Milliseconds per cell with eight cells in flight, which share syncs. */
  eightInFlightMs: number
}

/** Returns what the evidence log adds to a cell, on rows of about 3.5 kB. */
export async function benchAppendOverhead(cells = 2000): Promise<AppendOverheadFigures> {
  return {
    withSync: await oneByOne(cells, nodeFileOps),
    withoutSync: await oneByOne(cells, withoutSync),
    eightInFlightMs: await inFlight(cells, 8),
  }
}

const withoutSync: FileOps = {
  ...nodeFileOps,
  openAppend: async (path) => new UnsyncedFile(await nodeFileOps.openAppend(path)),
}

class UnsyncedFile implements LogFile {
  readonly #file: LogFile
  constructor(file: LogFile) {
    this.#file = file
  }
  read(into: Buffer, start: number, length: number, position: number) {
    return this.#file.read(into, start, length, position)
  }
  write(bytes: Buffer) {
    return this.#file.write(bytes)
  }
  async sync() {}
  state() {
    return this.#file.state()
  }
  close() {
    return this.#file.close()
  }
}

async function withLog<Result>(ops: FileOps, work: (make: (cell: number) => Promise<void>) => Promise<Result>) {
  const folder = await mkdtemp(join(tmpdir(), 'append-'))
  const opened = await openEvidenceLog(join(folder, 'bench-evidence.jsonl'), { runId: 'run-1', create: true, ops })
  if (!opened.ok) throw new Error(opened.refusal.message)
  const { log } = opened
  const identity = sampleIdentity()
  const { reproducibility } = identity
  if (!(await log.setIdentity(() => identity)).ok) throw new Error('a new log has no conflicts')
  const rows = [...sampleCells(20_000)].map((cell) => () => sampleRow({ ...cell, reproducibility }))
  try {
    return await work(async (cell) => {
      const row = rows[cell]!()
      const outcome = await log.claim(row.row_id)
      if (outcome.outcome === 'stored') throw new Error('a fresh cell is stored already')
      await log.append(outcome.claim, row)
    })
  } finally {
    await log.close()
    await rm(folder, { recursive: true })
  }
}

function oneByOne(cells: number, ops: FileOps): Promise<{ p50Ms: number; p95Ms: number }> {
  return withLog(ops, async (make) => {
    const times: number[] = []
    for (let cell = 0; cell < cells; cell += 1) {
      const startedAt = performance.now()
      await make(cell)
      times.push(performance.now() - startedAt)
    }
    times.sort((a, b) => a - b)
    return { p50Ms: times[Math.floor(cells * 0.5)]!, p95Ms: times[Math.floor(cells * 0.95)]! }
  })
}

function inFlight(cells: number, width: number): Promise<number> {
  return withLog(nodeFileOps, async (make) => {
    let next = 0
    const startedAt = performance.now()
    const worker = async () => {
      while (next < cells) await make(next++)
    }
    await Promise.all(Array.from({ length: width }, worker))
    return (performance.now() - startedAt) / cells
  })
}
