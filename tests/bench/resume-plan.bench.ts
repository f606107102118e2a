import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sealRow } from '../../main/evidence/rows/row-line.ts'
import { sampleCells, sampleReproducibility, sampleRow } from '../helpers/evidence-rows.ts'

export interface PlanCost {
  /** Checking and indexing the log, milliseconds. */
  openMs: number
  /** Planning every cell, its identities and row ids made on the way. */
  planMs: number
  /** Making those identities alone, which is the caller's part of `planMs`. */
  cellsMs: number
  /** Processor time of both, which other processes on the machine do not lengthen. */
  cpuMs: number
  reuse: number
  other: number
  /** Largest resident memory of the planning process. */
  peakRssMb: number
}

export interface ResumePlanFigures {
  rows: number
  fileMb: number
  plan: PlanCost
}

/** Writes a log of `rows` rows and plans its resume in a fresh process (P3 at 200,000 rows). */
export async function benchResumePlan(rows = 200_000): Promise<ResumePlanFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'resume-plan-'))
  try {
    const file = join(folder, 'bench-evidence.jsonl')
    await writeLog(file, rows)
    const plan = await planIn(file, rows)
    return { rows, fileMb: (await stat(file)).size / 2 ** 20, plan }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeLog(file: string, rows: number): Promise<void> {
  const handle = await open(file, 'w')
  const reproducibility = sampleReproducibility()
  let lines: Buffer[] = []
  for (const cell of sampleCells(rows)) {
    const sealed = sealRow(sampleRow({ ...cell, reproducibility }))
    if (!sealed.ok) throw new Error(sealed.problem)
    if (lines.push(sealed.line) < 1000) continue
    await handle.writev(lines)
    lines = []
  }
  if (lines.length > 0) await handle.writev(lines)
  await handle.close()
}

async function planIn(file: string, rows: number): Promise<PlanCost> {
  const child = join(import.meta.dirname, 'resume-plan-child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [child, file, String(rows)])
  return JSON.parse(stdout) as PlanCost
}
