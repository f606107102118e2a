import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { Identifier } from '../../../contract/common.ts'
import { addressProblem } from '../../../contract/service-address.ts'
import { databaseAddress, databaseAddressProblem, withoutPassword } from '../../evidence/postgres/database-address.ts'
import {
  isOver,
  rayJobLog,
  rayJobsOf,
  stopRayJob,
  submitRayJob,
  type RayCluster,
  type RunJobOfRay,
  type RunOfRay,
} from '../../lib/services/ray-jobs.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { withoutSecrets } from '../../../core/known-secrets.ts'
import { InputError, parseRunnerInputs } from '../../manifests/runner-inputs.ts'
import {
  decimalNumber,
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  wholeNumber,
  type Command,
  type ExitCode,
  type Invocation,
} from '../command.ts'
import { quoted } from '../job-files.ts'
import { RUN_OPTIONS } from '../options.ts'
import { verbOf, type VerbTable } from '../verbs.ts'
import { PROGRAM_FOLDER, WORKER_JOB_OPTIONS, workerJob } from '../worker-job.ts'

/** Sets how often `--wait` looks at the job. */
const LOOK_MS = 1000

interface Submission {
  cluster: RayCluster
  run: RunOfRay
  print: (text: string) => void
}

const VERBS: VerbTable<Submission> = {
  status: {
    usage: 'status',
    takes: [0, 0],
    about: 'the jobs of the run on the cluster, the latest first',
    async run({ cluster, run, print }) {
      for (const job of await someJobs(cluster, run)) print(jobLine(job))
      return EXIT.ok
    },
  },
  logs: {
    usage: 'logs',
    takes: [0, 0],
    about: 'what the latest job and its workers have printed',
    async run({ cluster, run, print }) {
      const [latest] = await someJobs(cluster, run)
      print((await rayJobLog(cluster, latest!.submissionId)).trimEnd())
      return EXIT.ok
    },
  },
  cancel: {
    usage: 'cancel',
    takes: [0, 0],
    about: 'stop the jobs of the run; rows stay, and answers in hand are left to others',
    async run({ cluster, run, print }) {
      const running = (await someJobs(cluster, run)).filter(({ status }) => !isOver(status))
      for (const { submissionId } of running) {
        await stopRayJob(cluster, submissionId)
        print(`${submissionId} is being stopped.`)
      }
      if (running.length === 0) print(`No job of ${run.runId} is running.`)
      return EXIT.ok
    },
  },
}

export const submitCommand: Command = {
  name: 'submit',
  positionals: `[${Object.keys(VERBS).join(' | ')}]`,
  verbs: Object.values(VERBS).map(({ usage, about }) => [`submit ${usage}`, about]),
  options: {
    project: RUN_OPTIONS.project,
    ...WORKER_JOB_OPTIONS,
    ray: textValue('URL', 'dashboard of the Ray cluster, such as http://head:8265 (RAY_URL)'),
    cpus: {
      ...decimalNumber({ from: 0.01, to: 1024 }, 0.5),
      description: 'CPUs that each worker reserves',
      default: 1,
    },
    resource: textValue('NAME', 'resource that only the nodes near the data have: workers run on these'),
    retries: {
      ...wholeNumber(0, 100, 3),
      description: 'how often Ray starts a worker again that died',
      default: 3,
    },
    wait: flag('print the log of the job until it ends'),
  },
  collectsProblems: true,
  async run(invocation) {
    const { positionals } = invocation
    const verb = positionals.length === 0 ? null : verbOf('submit', VERBS, positionals).verb
    const { submission, database, problems } = submissionOf(invocation)
    if (verb === null) return submit(invocation, submission, database, problems)
    if (problems.length > 0) throw new InputError(problems)
    return verb.run(submission)
  },
}

/** Which cluster and run are meant; problems instead of an exception, so that all are reported at once. */
function submissionOf(invocation: Invocation): { submission: Submission; database: string | null; problems: string[] } {
  const { inputs, problems } = parseRunnerInputs(invocation.env)
  problems.push(...(invocation.problems ?? []))
  const url = textOption(invocation, 'ray') ?? inputs.rayUrl
  const ofUrl = url === null ? 'name the dashboard of the Ray cluster (or set RAY_URL)' : addressProblem(url)
  if (ofUrl !== null) problems.push(`--ray: ${ofUrl}`)
  const runId = textOption(invocation, 'run-id') ?? inputs.runId
  if (!Identifier.safeParse(runId).success) problems.push('--run-id: name the run')
  const given = textOption(invocation, 'evidence') ?? inputs.evidenceUrl
  if (given === null)
    problems.push('--evidence: name the database that keeps the rows of the run (or set MATRIX_EVIDENCE_URL)')
  const ofDatabase =
    textOption(invocation, 'evidence') === null ? null : databaseAddressProblem(given!, { password: 'refused' })
  if (ofDatabase !== null) problems.push(`--evidence: ${ofDatabase}`)
  const database = ofDatabase === null ? given : null
  const label = database === null ? '' : databaseAddress(database).label
  const print = (text: string): void =>
    void invocation.stdout.write(`${text.split('\n').map(sanitizeForTerminal).map(withoutSecrets).join('\n')}\n`)
  const cluster = { url: url ?? '', token: inputs.rayToken }
  return { submission: { cluster, run: { runId: runId ?? '', database: label }, print }, database, problems }
}

async function submit(
  invocation: Invocation,
  { cluster, run, print }: Submission,
  database: string | null,
  found: readonly string[],
): Promise<ExitCode> {
  // The address that every node uses: its password is in the environment of the nodes, as this job is shown to everybody.
  const evidence = database === null ? undefined : withoutPassword(database)
  const values = { ...invocation.values, 'run-id': run.runId === '' ? undefined : run.runId }
  const given = textOption(invocation, 'evidence')
  const { spec, problems } = workerJob(
    { ...invocation, values: { ...values, evidence: given ?? evidence } },
    { isShared: true },
  )
  const [cpus, retries] = [numberOption(invocation, 'cpus')!, numberOption(invocation, 'retries')!]
  const resource = textOption(invocation, 'resource')
  const all = [...new Set([...found, ...problems])]
  if (all.length > 0) throw new InputError(all)
  const options = ['--workers', spec.workers, '--cpus', cpus, '--retries', retries].map(String)
  const near = resource === null ? [] : ['--resource', resource]
  const script = join(PROGRAM_FOLDER, 'main/cli/ray-workers.py')
  const entrypoint = ['python', script, ...options, ...near, '--', ...spec.args].map(quoted).join(' ')
  const id = await submitRayJob(cluster, run, { workers: spec.workers, entrypoint })
  print(`Job ${id} is submitted: its workers wait until the run is started (rag-ladder matrix with --evidence).`)
  return flagOption(invocation, 'wait') ? followed(id, { cluster, run, print }) : EXIT.ok
}

/** Prints the log of a job as it grows, until the job is over. */
async function followed(id: string, { cluster, run, print }: Submission): Promise<ExitCode> {
  let printed = 0
  for (;;) {
    const job = (await rayJobsOf(cluster, run)).find(({ submissionId }) => submissionId === id)
    const log = await rayJobLog(cluster, id)
    const isEnded = job === undefined || isOver(job.status)
    // Whole lines only: a part of a credential would not be recognized.
    const whole = isEnded ? log.length : log.lastIndexOf('\n') + 1
    if (whole > printed) print(log.slice(printed, whole).trimEnd())
    printed = Math.max(printed, whole)
    if (isEnded) return endOf(job, print)
    await delay(LOOK_MS)
  }
}

function endOf(job: RunJobOfRay | undefined, print: (text: string) => void): ExitCode {
  if (job !== undefined) print(jobLine(job))
  if (job?.status === 'SUCCEEDED') return EXIT.ok
  return job?.status === 'STOPPED' ? EXIT.interrupted : EXIT.serviceFailed
}

async function someJobs(cluster: RayCluster, run: RunOfRay): Promise<RunJobOfRay[]> {
  const jobs = await rayJobsOf(cluster, run)
  if (jobs.length > 0) return jobs
  throw new InputError([`${cluster.url} has no job of the run ${run.runId} with rows in ${run.database}`])
}

const jobLine = ({ submissionId, status, workers, message }: RunJobOfRay): string =>
  `${submissionId}: ${status.toLowerCase()}, workers: ${workers}${message === '' ? '' : ` (${message})`}`
