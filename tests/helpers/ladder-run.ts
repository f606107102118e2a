import { readFile } from 'node:fs/promises'
import { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { CliResult } from './cli-in-process.ts'

export const MODELS = 'vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag'
/** Four questions × these models. */
export const CELLS = 16

/** The options that name a run of the smoke set. */
export const smokeRun = (root: string, run: string): string[] => [
  '--project',
  root,
  '--dataset',
  'smoke',
  '--run-id',
  run,
]

/** The run `test` of the smoke set. */
export const ladderArgs = (root: string, ...more: string[]): string[] => [
  'ladder',
  ...smokeRun(root, 'test'),
  '--json',
  ...more,
]

/** The plan that a run reported. */
export const planOf = (result: CliResult) =>
  result.events.find(({ type }) => type === 'plan.ready')?.['plan'] as Record<string, unknown>

/** The rows of an evidence file, each checked against its schema. */
export const rowsOf = async (file: string): Promise<CanonicalRow[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => {
      const { checksum: _checksum, ...row } = JSON.parse(line) as Record<string, unknown>
      return CanonicalRow.parse(row)
    })
