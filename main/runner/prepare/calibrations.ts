// Three calls of a model are timed on this machine, for estimates of runs without a row. A file of the state folder keeps the times, per model and machine.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isRuleBased, modelNameOf, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { CalibrationCall } from '../../../contract/control/models.ts'
import type { ModelRole, ModelSet } from '../../../contract/manifests/models.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { jsonIn } from '../../../core/json.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { thisMachine } from '../../lib/this-machine.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'

/** The means of the calls of one calibration. Tokens are null where the service does not report them. */
export const Calibration = z.strictObject({
  machine: z.string(),
  /** Digest of the declared model: another address or quantization is another model. */
  choice: z.string(),
  model: z.string(),
  latency_ms: z.number().min(0),
  input_tokens: z.number().min(0).nullable(),
  output_tokens: z.number().min(0).nullable(),
  measured_at: z.iso.datetime(),
})
export type Calibration = z.infer<typeof Calibration>

/** The roles that write while a question is answered, and while its answer is graded. */
const ANSWERING: readonly ModelRole[] = [
  'light_gen',
  'graph_query',
  'graph_keyword',
  'agentic',
  'workflow_classifier',
  'evaluator',
]

const digest = (value: unknown): string => hash('sha256', canonicalJson(value)).slice(0, 16)

const fileIn = (root: string): string => join(root, STATE_FOLDER, 'calibrations.json')

/** True for a role that writes while a question is answered or the answer is graded, and has a language model in this set. */
export const isAnswering = (role: ModelRole, set: Pick<ModelSet, 'roles'>): boolean =>
  ANSWERING.includes(role) && !isRuleBased(set.roles[role].backend)

function keptIn(root: string): Calibration[] {
  try {
    return z.array(Calibration).safeParse(jsonIn(readFileSync(fileIn(root), 'utf8'))).data ?? []
  } catch {
    return []
  }
}

/** Returns what calls of a model took on this machine; null where it was not calibrated here. */
export function calibrationsOf(root: string): (choice: ModelChoice) => Calibration | null {
  const machine = thisMachine()
  const kept = new Map(keptIn(root).flatMap((each) => (each.machine === machine ? [[each.choice, each] as const] : [])))
  return (choice) => kept.get(digest(choice)) ?? null
}

const meanOf = (values: readonly (number | null)[]): number | null =>
  values.length === 0 || values.includes(null) ? null : (values as number[]).reduce((a, b) => a + b, 0) / values.length

/** Keeps what calls of a declared model took here, in place of what was kept of it. */
export async function keepCalibration(
  root: string,
  choice: ModelChoice,
  calls: readonly CalibrationCall[],
): Promise<Calibration> {
  const calibration: Calibration = {
    machine: thisMachine(),
    choice: digest(choice),
    model: modelNameOf(choice),
    latency_ms: meanOf(calls.map((call) => call.latency_ms)) ?? 0,
    input_tokens: meanOf(calls.map((call) => call.input_tokens)),
    output_tokens: meanOf(calls.map((call) => call.output_tokens)),
    measured_at: new Date().toISOString(),
  }
  const others = keptIn(root).filter(
    (each) => each.machine !== calibration.machine || each.choice !== calibration.choice,
  )
  await writeAtomic(fileIn(root), `${JSON.stringify([...others, calibration], null, 2)}\n`)
  return calibration
}
