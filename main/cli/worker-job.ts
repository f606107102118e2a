import { fileURLToPath } from 'node:url'
import { addressProblem } from '../../contract/service-address.ts'
import { databaseAddressProblem } from '../evidence/postgres/database-address.ts'
import { numberOption, textOption, wholeNumber, type Invocation, type Option } from './command.ts'
import type { WorkerJob } from './job-files.ts'
import { pickOptions, projectFolder, RUN_OPTIONS } from './options.ts'

export const PROGRAM_FOLDER = fileURLToPath(new URL('../../', import.meta.url))

/** Lists what workers are started with, where it was given: the same for all of them and for the process that starts the run. */
const WORKER_OPTIONS = ['dataset', 'run-id', 'models', 'repeats', 'concurrency', 'gateway', 'evidence'] as const

/** Options of the commands that start workers on a cluster. */
export const WORKER_JOB_OPTIONS = {
  ...pickOptions(...WORKER_OPTIONS),
  evaluate: RUN_OPTIONS.evaluate,
  workers: { ...wholeNumber(1, 1000, 4), description: 'workers of the job', default: 4 },
} as const satisfies Record<string, Option>

/** The workers that the options ask for. `isShared`: the nodes see the project in the same folder as this machine. */
export function workerJob(
  invocation: Invocation,
  { isShared }: { isShared: boolean },
): { spec: WorkerJob; problems: string[] } {
  const given = (name: string): string | null => {
    const number = numberOption(invocation, name)
    return number === null ? textOption(invocation, name) : String(number)
  }
  const missing = ['dataset', 'run-id', 'gateway'].filter((name) => given(name) === null)
  const problems = [
    ...(invocation.problems ?? []),
    ...missing.map((name) => `--${name}: needed, because every worker must work on the same run`),
  ]
  const gateway = given('gateway')
  const ofGateway = gateway === null ? null : addressProblem(gateway)
  if (ofGateway !== null) problems.push(`--gateway: ${ofGateway}`)
  const database = given('evidence')
  const ofDatabase = database === null ? null : databaseAddressProblem(database, { password: 'refused' })
  if (ofDatabase !== null) problems.push(`--evidence: ${ofDatabase}`)
  const project = isShared ? ['--project', projectFolder(invocation)] : []
  const options = WORKER_OPTIONS.flatMap((name) => (given(name) === null ? [] : [`--${name}`, given(name)!]))
  const evaluate = invocation.values['evaluate'] === false ? ['--no-evaluate'] : []
  const args = ['worker', ...project, ...options, ...evaluate]
  const workers = numberOption(invocation, 'workers')!
  return { spec: { runId: given('run-id') ?? '', workers, args }, problems }
}
