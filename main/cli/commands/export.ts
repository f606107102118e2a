import { resolve } from 'node:path'
import { addressProblem } from '../../../contract/service-address.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { BASELINE, KEYWORD_BASELINE } from '../../../contract/approaches.ts'
import { LITELLM_CALLER_KEY, LITELLM_PLATFORM_KEY, litellmConfig } from '../../manifests/models/litellm-config.ts'
import { writeNew } from '../../lib/files/write-atomic.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { resultsJsonl } from '../../report/csv/results-jsonl.ts'
import { unusableLines } from '../../report/publication/results-folder.ts'
import { summarizeFolder } from '../../report/publication/folder-summaries.ts'
import { unpackedFolderForUse } from '../../report/publication/published-folder.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import {
  EXIT,
  flag,
  flagOption,
  textOption,
  textValue,
  type Command,
  type ExitCode,
  type Invocation,
} from '../command.ts'
import { JOB_SECRET, JOB_VARIABLES, kubernetesJob, slurmJob } from '../job-files.ts'
import { KEY_EXAMPLES_OPTION, keyCheck } from '../key-check.ts'
import { artifactPlace, projectFolder, RUN_OPTIONS } from '../options.ts'
import { readFolder, reportUnusable, UnusableFilesError } from '../unusable-files.ts'
import { PROGRAM_FOLDER, WORKER_JOB_OPTIONS, workerJob } from '../worker-job.ts'

/** States where the embedded platform listens unless PLATFORM_PORT is set. */
const USUAL_PLATFORM = 'http://127.0.0.1:4871'

interface Exported {
  about: string
  text: (invocation: Invocation) => Promise<string | { text: string; code: ExitCode }>
  /** Returns what to do with the file, one line each. */
  next: (file: string) => readonly string[]
}

/** Lists what can be written out for another program, by its name on the command line. */
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
  results: {
    about: 'results as JSON lines, one metric of one approach each, for Hugging Face datasets and other loaders',
    text: results,
    next: (file) => [`Python reads it: datasets.load_dataset("json", data_files="${file}")`],
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
  positionals: '<what>',
  options: {
    project: RUN_OPTIONS.project,
    ...WORKER_JOB_OPTIONS,
    results: { ...RUN_OPTIONS.results, description: 'folder with the artifacts of `export results`' },
    slurm: flag('write a script for sbatch'),
    kubernetes: flag('write a Job for kubectl'),
    image: textValue('NAME', 'container image with this program and the project'),
    platform: { type: 'string', hint: 'ADDRESS', description: 'address of the platform', default: USUAL_PLATFORM },
    output: textValue('FILE', 'file to write; the terminal unless given'),
    'allow-key-examples': KEY_EXAMPLES_OPTION,
  },
  collectsProblems: true,
  async run(invocation) {
    const [what = '', ...more] = invocation.positionals
    const wanted = Object.hasOwn(EXPORTS, what) ? EXPORTS[what]! : null
    if (wanted === null || more.length > 0)
      throw new InputError([
        what === '' ? 'name what to export:' : `unknown export ${[what, ...more].join(' ')}; these exist:`,
        ...Object.entries(EXPORTS).map(([name, { about }]) => `export ${name}: ${about}`),
      ])
    const written = await wanted.text(invocation)
    const { text, code } = typeof written === 'string' ? { text: written, code: EXIT.ok } : written
    const output = textOption(invocation, 'output')
    ;(await keyCheck(invocation, `export ${what}`))(text, output ?? what)
    if (output === null) {
      invocation.stdout.write(text)
      return code
    }
    await writeOutput(output, text)
    invocation.stdout.write(`${[`${output} is written.`, ...wanted.next(output)].join('\n')}\n`)
    return code
  },
}

/** Writes a file that does not exist yet: what a person edited is not replaced. */
async function writeOutput(file: string, text: string): Promise<void> {
  try {
    await writeNew(resolve(file), text)
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
  const problems = [...(invocation.problems ?? []), ...(problem === null ? [] : [`--platform: ${problem}`])]
  if (problems.length > 0) throw new InputError(problems)
  const { consumer } = await loadExperiment(projectFolder(invocation))
  // A platform serves the keyword baseline beside its aliases, and a run has it unless its approaches are chosen.
  const aliases = [{ alias: KEYWORD_BASELINE, base: BASELINE }, ...consumer.aliases] as const
  return litellmConfig(aliases, { platform, routePrefix: consumer.plugin.route_prefix })
}

async function results(invocation: Invocation): Promise<{ text: string; code: ExitCode }> {
  if ((invocation.problems ?? []).length > 0) throw new InputError([...invocation.problems!])
  const { resultsDir, named } = artifactPlace(invocation)
  const runId = textOption(invocation, 'run-id')
  const warn = (problem: string): void => void invocation.stderr.write(`${sanitizeForTerminal(problem)}\n`)
  return unpackedFolderForUse(resultsDir, warn, async (folder) => {
    const { aggregates, unusable } = await readFolder(resultsDir, () =>
      summarizeFolder(folder, runId ?? undefined, named),
    )
    if (aggregates.length === 0 && unusable.length > 0) throw new UnusableFilesError(unusableLines(unusable))
    if (aggregates.length === 0)
      throw new InputError([`${resultsDir} holds no finished answers${runId === null ? '' : ` of the run ${runId}`}`])
    return { text: [...resultsJsonl(aggregates)].join(''), code: reportUnusable(unusable, invocation) }
  })
}

async function job(invocation: Invocation): Promise<string> {
  const isShared = !flagOption(invocation, 'kubernetes')
  const { spec, problems } = workerJob(invocation, { isShared })
  const [slurm, kubernetes] = [flagOption(invocation, 'slurm'), flagOption(invocation, 'kubernetes')]
  const image = textOption(invocation, 'image')
  if (slurm === kubernetes) problems.push('name one of --slurm and --kubernetes')
  if (kubernetes && image === null) problems.push('--image: name the container image with this program and the project')
  if (problems.length > 0) throw new InputError(problems)
  return slurm ? slurmJob(spec, PROGRAM_FOLDER) : kubernetesJob(spec, image!)
}
