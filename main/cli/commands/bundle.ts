import { resolve } from 'node:path'
import { plural } from '../../../contract/words.ts'
import { ZipFileError } from '../../lib/zip-files.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { exportBundle, importBundle } from '../../report/run-bundle.ts'
import { EXIT, textOption, type Command, type Invocation } from '../command.ts'
import { artifactPlace, pickOptions, projectFolder } from '../options.ts'

/** Each verb returns the line that it prints. */
const VERBS: Readonly<Record<string, (invocation: Invocation, name: string) => Promise<string>>> = {
  async export(invocation, runId) {
    const target = resolve(textOption(invocation, 'output') ?? `${runId}.bundle.zip`)
    const place = { ...artifactPlace(invocation), root: projectFolder(invocation) }
    const { files, datasets } = await exportBundle(place, runId, target)
    return `${target}  ${plural(files, 'file')} of ${plural(datasets.length, 'dataset')}`
  },
  async import(invocation, file) {
    const { resultsDir } = artifactPlace(invocation)
    const { runId, datasets } = await importBundle({ root: projectFolder(invocation), resultsDir }, resolve(file))
    return `run ${runId} with ${plural(datasets.length, 'dataset')} is in ${resultsDir}`
  },
}

export const bundleCommand: Command = {
  name: 'bundle',
  summary:
    'Write a run to one zip file, with evidence, artifacts and manifests; open one that another installation wrote.',
  positionals: 'export RUN | import FILE',
  options: {
    ...pickOptions('project', 'results'),
    output: { type: 'string', hint: 'FILE', description: 'zip file to write; RUN.bundle.zip unless given' },
  },
  async run(invocation) {
    const [verb = '', name, ...more] = invocation.positionals
    const work = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
    if (work === undefined || name === undefined || more.length > 0)
      throw new InputError(['usage: rag-ladder bundle export RUN, or rag-ladder bundle import FILE'])
    try {
      invocation.stdout.write(`${await work(invocation, name)}\n`)
    } catch (error) {
      throw error instanceof ZipFileError ? new InputError([error.message]) : error
    }
    return EXIT.ok
  },
}
