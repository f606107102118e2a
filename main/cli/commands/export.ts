import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addressProblem } from '../../../contract/index.ts'
import { databaseAddressProblem } from '../../evidence/postgres/database-address.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { LITELLM_CALLER_KEY, LITELLM_PLATFORM_KEY, litellmConfig } from '../../manifests/litellm-config.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, flagOption, textOption, type Command, type Invocation } from '../command.ts'
import { JOB_SECRET, JOB_VARIABLES, kubernetesJob, slurmJob, type WorkerJob } from '../job-files.ts'
import { pickOptions, projectFolder, RUN_OPTIONS } from '../options.ts'

/** Where the embedded platform listens unless PLATFORM_PORT is set. */
const USUAL_PLATFORM = 'http://127.0.0.1:4871'

/** What workers are started with, where it was given: the same for all of them and for the process that starts the run. */
const WORKER_OPTIONS = ['dataset', 'run-id', 'models', 'repeats', 'concurrency', 'gateway', 'evidence'] as const

interface Exported {
  about: string
  text: (invocation: Invocation) => Promise<string>
  /** What to do with the file, one line each. */
  next: (file: string) => readonly string[]
}

/** What can be written out for another program, by its name on the command line. */
const EXPORTS: Readonly<Record<string, Exported>> = {
  litellm: {
    about: 'configuration of a LiteLLM proxy that answers every alias of this project',
    text: litellm,
    next: (file) => [
      `Start the platform (rag-ladder platform --dataset ID), then the proxy: litellm --config ${file} --host 127.0.0.1`,
      `Its environment needs ${LITELLM_PLATFORM_KEY}, the operator token of the platform, and ${LITELLM_CALLER_KEY}, a key of your choice that starts with sk-.`,
      'Runs go through it with --gateway http://127.0.0.1:4000 --platform and the address of the platform; MATRIX_GATEWAY_API_KEY is the key that you chose.',
    ],
  },
  job: {
    about: 'job of a cluster that starts workers of a run: --slurm or --kubernetes',
    text: job,
    next: (file) => [
      `Start the run on your machine (rag-ladder matrix with --evidence), then submit ${file} with sbatch or kubectl apply -f; its workers wait for the run.`,
      `The job needs ${JOB_VARIABLES.map(([name, what]) => `${name}, the ${what}`).join(', and ')}: in the environment of sbatch, or in the Kubernetes secret ${JOB_SECRET}.`,
    ],
  },
}

export const exportCommand: Command = {
  name: 'export',
  summary: `Write a file for another program: ${Object.keys(EXPORTS).join(', ')}.`,
  positionals: '<what>',
  options: {
    project: RUN_OPTIONS.project,
    ...pickOptions(...WORKER_OPTIONS),
    evaluate: RUN_OPTIONS.evaluate,
    slurm: { type: 'boolean', description: 'write a script for sbatch' },
    kubernetes: { type: 'boolean', description: 'write a Job for kubectl' },
    workers: { type: 'string', hint: 'N', description: 'workers of the job, 1 to 1000', default: '4' },
    image: { type: 'string', hint: 'NAME', description: 'container image with this program and the project' },
    platform: { type: 'string', hint: 'ADDRESS', description: 'address of the platform', default: USUAL_PLATFORM },
    output: { type: 'string', hint: 'FILE', description: 'file to write; the terminal unless given' },
  },
  async run(invocation) {
    const [what = '', ...more] = invocation.positionals
    const wanted = Object.hasOwn(EXPORTS, what) ? EXPORTS[what]! : null
    if (wanted === null || more.length > 0)
      throw new InputError([
        what === '' ? 'name what to export:' : `unknown export ${[what, ...more].join(' ')}; these exist:`,
        ...Object.entries(EXPORTS).map(([name, { about }]) => `export ${name}: ${about}`),
      ])
    const text = await wanted.text(invocation)
    const output = textOption(invocation, 'output')
    if (output === null) {
      invocation.stdout.write(text)
      return EXIT.ok
    }
    await writeNew(output, text)
    invocation.stdout.write(`${[`${output} is written.`, ...wanted.next(output)].join('\n')}\n`)
    return EXIT.ok
  },
}

/** Writes a file that does not exist yet: what a person edited is not replaced. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(resolve(file), text, { flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new InputError([
      code === 'EEXIST'
        ? `--output: ${file} exists; remove it or choose another name`
        : `--output: ${file} cannot be written: ${message}`,
    ])
  }
}

async function litellm(invocation: Invocation): Promise<string> {
  const platform = textOption(invocation, 'platform') ?? USUAL_PLATFORM
  const problem = addressProblem(platform)
  if (problem !== null) throw new InputError([`--platform: ${problem}`])
  const { consumer } = await loadExperiment(projectFolder(invocation))
  return litellmConfig(consumer.aliases, { platform, routePrefix: consumer.plugin.route_prefix })
}

const PROGRAM_FOLDER = fileURLToPath(new URL('../../../', import.meta.url))

async function job(invocation: Invocation): Promise<string> {
  const { spec, problems } = workerJob(invocation)
  const [slurm, kubernetes] = [flagOption(invocation, 'slurm'), flagOption(invocation, 'kubernetes')]
  const image = textOption(invocation, 'image')
  if (slurm === kubernetes) problems.push('name one of --slurm and --kubernetes')
  if (kubernetes && image === null) problems.push('--image: name the container image with this program and the project')
  if (problems.length > 0) throw new InputError(problems)
  return slurm ? slurmJob(spec, PROGRAM_FOLDER) : kubernetesJob(spec, image!)
}

function workerJob(invocation: Invocation): { spec: WorkerJob; problems: string[] } {
  const given = (name: string): string | null => textOption(invocation, name)
  const problems = ['dataset', 'run-id', 'gateway'].flatMap((name) =>
    given(name) === null ? [`--${name}: needed, because every worker must work on the same run`] : [],
  )
  const gateway = given('gateway')
  const ofGateway = gateway === null ? null : addressProblem(gateway)
  if (ofGateway !== null) problems.push(`--gateway: ${ofGateway}`)
  const database = given('evidence')
  const ofDatabase = database === null ? null : databaseAddressProblem(database, { password: 'refused' })
  if (ofDatabase !== null) problems.push(`--evidence: ${ofDatabase}`)
  const workers = Number(given('workers'))
  if (!Number.isInteger(workers) || workers < 1 || workers > 1000)
    problems.push(`--workers: expected a whole number from 1 to 1000, got ${given('workers')}`)
  // A pod has the project in the working folder of its image; nodes of a Slurm cluster see the same folders.
  const project = flagOption(invocation, 'kubernetes') ? [] : ['--project', projectFolder(invocation)]
  const options = WORKER_OPTIONS.flatMap((name) => (given(name) === null ? [] : [`--${name}`, given(name)!]))
  const evaluate = invocation.values['evaluate'] === false ? ['--no-evaluate'] : []
  const args = ['worker', ...project, ...options, ...evaluate]
  return { spec: { runId: given('run-id') ?? '', workers, args }, problems }
}
