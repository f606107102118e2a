import type { Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, resolve, sep } from 'node:path'
import { measuredLevelWords } from '../../../core/measured-level-words.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { bytesWords, countWords, plural } from '../../../contract/words.ts'
import { exportDataset, importDataset } from '../../manifests/datasets/dataset-archive.ts'
import { IMPORTERS } from '../../manifests/datasets/importers/formats.ts'
import {
  idOfSource,
  importLines,
  importPublicDataset,
  type ImportProgress,
} from '../../manifests/datasets/importers/import-dataset.ts'
import { ImportError } from '../../manifests/datasets/importers/importer.ts'
import { unpackedFile, withoutGzip } from '../../manifests/datasets/importers/json-records.ts'
import { loadExperiment, type Experiment } from '../../manifests/experiment.ts'
import {
  addOwnDocument,
  createOwnDataset,
  DatasetEditError,
  isOwnDataset,
  removedDatasets,
  removeOwnDataset,
  restoreOwnDataset,
  saveQuestions,
} from '../../manifests/datasets/own-datasets.ts'
import { QUESTION_FORMATS, QuestionFileError, type QuestionFormat } from '../../manifests/datasets/question-file.ts'
import { summariesIn } from '../../runner/prepare/expected-cost.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { checkDataset, previewQuestions } from '../../engine/corpora/own-dataset-view.ts'
import { EXIT, flag, flagOption, numberOption, textOption, textValue, wholeNumber, type ExitCode } from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'
import { KEY_EXAMPLES_OPTION } from '../key-check.ts'
import { ownDataset, datasetOf } from '../own-dataset.ts'
import { STOP_SIGNALS } from '../stop-signals.ts'
import { DRAFT_OPTIONS, DRAFT_VERBS } from './dataset-drafts.ts'
import { commandOfVerbs, type VerbCall, type Verbs } from '../verbs.ts'

// One command for everything that is done to a person's own datasets: `rag-ladder dataset new my_notes`. The panel makes the same calls.

type Call = VerbCall<{ experiment: Experiment }>

const VERBS: Verbs<{ experiment: Experiment }> = {
  list: {
    usage: 'list',
    about: 'all datasets, those of your own marked',
    takes: [0, 0],
    run: ({ experiment, print }) => {
      for (const declared of experiment.datasets) {
        const { dataset, questions } = declared
        const owner = isOwnDataset(declared) ? 'your own' : 'project'
        print(
          `${dataset.id}  ${dataset.label} · ${plural(questions.length, 'question')} · ${owner} · ${dataset.corpus_path}`,
        )
      }
      for (const { id, file, problems } of experiment.unusable)
        print(`${id}  ${file} cannot be used: ${problems.join('; ')}`)
      return Promise.resolve(EXIT.ok)
    },
  },
  new: {
    usage: 'new ID [--label TEXT] [--copy-of ID]',
    about: 'an empty dataset, or a copy of another',
    takes: [1, 1],
    run: async ({ experiment, args: [id = ''], invocation, print }) => {
      const source = textOption(invocation, 'copy-of')
      const copied = source === null ? null : datasetOf(experiment, source)
      await createOwnDataset(experiment, { id, label: textOption(invocation, 'label') ?? id, description: '' }, copied)
      print(`made datasets/${id}/: add documents with "rag-ladder dataset add ${id} FILE…"`)
      return EXIT.ok
    },
  },
  add: {
    usage: 'add ID FILE|FOLDER…',
    about: 'documents, as they are; those that are there already are left alone and named',
    takes: [2, Infinity],
    run: addDocuments,
  },
  questions: {
    usage: 'questions ID FILE',
    about: 'questions of a CSV, TSV, Excel, JSON or JSONL file; none is added unless all can be',
    takes: [2, 2],
    run: addQuestions,
  },
  ...DRAFT_VERBS,
  check: {
    usage: 'check ID',
    about: 'everything that would leave a run without a result',
    takes: [1, 1],
    run: check,
  },
  export: {
    usage: 'export ID [--out FILE] [--allow-key-examples]',
    about: 'the dataset as one zip file',
    takes: [1, 1],
    run: async ({ experiment, args: [id = ''], invocation, print }) => {
      ownDataset(experiment, id)
      const target = resolve(textOption(invocation, 'out') ?? `${id}.zip`)
      const documents = await exportDataset(experiment.root, id, target, {
        allowKeyExamples: flagOption(invocation, 'allow-key-examples'),
      })
      print(`${target}: ${plural(documents, 'document')}`)
      return EXIT.ok
    },
  },
  import: {
    usage: `import FILE|FOLDER [--as ID] [--format ${IMPORTERS.map(({ id }) => id).join('|')}] [--questions N] [--documents N] [--seed N] [--split NAME]`,
    about: 'a dataset from an exported zip file, or a public one in its own format',
    takes: [1, 1],
    run: importFrom,
  },
  remove: {
    usage: 'remove ID',
    about: 'moves the dataset to the trash',
    takes: [1, 1],
    run: async ({ experiment, args: [id = ''], print }) => {
      ownDataset(experiment, id)
      const trashId = await removeOwnDataset(experiment.root, id)
      print(`${id} is in the trash; "rag-ladder dataset restore ${trashId}" brings it back`)
      return EXIT.ok
    },
  },
  restore: {
    usage: 'restore [NAME]',
    about: 'brings a removed dataset back; without a name, lists them',
    takes: [0, 1],
    run: async ({ experiment, args: [trashId], print }) => {
      if (trashId === undefined) {
        const removed = await removedDatasets(experiment.root)
        for (const { trash_id: name, label } of removed) print(`${name}  ${label}`)
        if (removed.length === 0) print('The trash is empty.')
        return EXIT.ok
      }
      print(`${await restoreOwnDataset(experiment.root, trashId)} is back`)
      return EXIT.ok
    },
  },
}

export const datasetCommand = commandOfVerbs({
  name: 'dataset',
  verbs: VERBS,
  positionals: '<verb> [ID] [file…]',
  options: {
    project: RUN_OPTIONS.project,
    ...DRAFT_OPTIONS,
    label: textValue('TEXT', 'name for people, with new'),
    'copy-of': textValue('ID', 'dataset to copy, with new'),
    as: textValue('ID', 'id of the imported dataset; the name of the source unless given'),
    format: textValue('NAME', 'format of a public dataset; by its content unless given'),
    questions: { ...wholeNumber(1, null, 100), description: 'with import: a sample of so many questions' },
    documents: {
      ...wholeNumber(1, null, 500),
      description: 'with import: so many documents, those with gold evidence and a sample of the others',
    },
    seed: { ...wholeNumber(0, null, 7), description: 'seed of the samples', default: 0 },
    split: textValue('NAME', 'with import: test, dev or train, or part of a file name'),
    out: textValue('FILE', 'where export writes; ID.zip unless given'),
    'allow-key-examples': KEY_EXAMPLES_OPTION,
    json: flag('print the findings of check, or the summary of import, as JSON'),
  },
  load: async (invocation) => ({ experiment: await loadExperiment(projectFolder(invocation)) }),
  inputProblem: (error) => {
    if (error instanceof DatasetEditError) return `${error.path}: ${error.message}`
    return error instanceof QuestionFileError || error instanceof ImportError ? error.message : null
  },
})

async function importFrom({ experiment, args: [source = ''], invocation, print }: Call): Promise<ExitCode> {
  const isArchive = extname(source).toLowerCase() === '.zip'
  const id =
    textOption(invocation, 'as') ?? (isArchive ? basename(source, extname(source)) : idOfSource(resolve(source)))
  if (isArchive) {
    const documents = await importDataset(experiment, resolve(source), id)
    print(`datasets/${id}/: ${plural(documents, 'document')}`)
    return EXIT.ok
  }
  const progress = progressLine(invocation.stderr)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(new ImportError('stopped: nothing was imported'))
  for (const signal of STOP_SIGNALS) process.once(signal, onSignal)
  try {
    const summary = await importPublicDataset(experiment, {
      source: resolve(source),
      id,
      format: textOption(invocation, 'format'),
      questions: numberOption(invocation, 'questions'),
      documents: numberOption(invocation, 'documents'),
      seed: numberOption(invocation, 'seed')!,
      split: textOption(invocation, 'split'),
      label: textOption(invocation, 'label'),
      onProgress: progress.show,
      signal: stop.signal,
    })
    progress.clear()
    if (flagOption(invocation, 'json')) invocation.stdout.write(`${JSON.stringify(summary)}\n`)
    else for (const line of importLines(summary)) print(line)
    return EXIT.ok
  } finally {
    progress.clear()
    for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
  }
}

const REDRAW_MS = 200

/** One line that is drawn again, on a terminal only. */
function progressLine(out: NodeJS.WriteStream): { show: (progress: ImportProgress) => void; clear: () => void } {
  let drawnAt = 0
  return {
    show: ({ step, bytes, documents }) => {
      if (!out.isTTY || Date.now() - drawnAt < REDRAW_MS) return
      drawnAt = Date.now()
      const read = `${bytesWords(bytes)} read`
      out.write(
        `\r\u001B[K${step === 'questions' ? 'Reading questions' : `${plural(documents, 'document')} written`} · ${read}`,
      )
    },
    clear: () => {
      if (drawnAt > 0) out.write('\r\u001B[K')
      drawnAt = 0
    },
  }
}

/** Files of a folder keep their place below it. */
async function filesOf(path: string): Promise<{ file: string; name: string }[]> {
  const info = await stat(path).catch(() => null)
  if (info === null) throw new InputError([`${path}: there is no such file or folder`])
  if (!info.isDirectory()) return [{ file: path, name: basename(path) }]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const isFile = async (entry: Dirent): Promise<boolean> =>
    // A link to a folder is not followed: it may lead back.
    entry.isFile() ||
    (entry.isSymbolicLink() && (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.isFile() === true)
  const areFiles = await Promise.all(entries.map(isFile))
  return entries
    .filter((_, at) => areFiles[at])
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return { file, name: relative(path, file).split(sep).join('/') }
    })
    .filter(({ name }) => !name.split('/').some((part) => part.startsWith('.')))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function addDocuments({ experiment, args: [id = '', ...paths], print }: Call): Promise<ExitCode> {
  ownDataset(experiment, id)
  const found = (await Promise.all(paths.map((path) => filesOf(resolve(path))))).flat()
  let added = 0
  let left = 0
  for (const { file, name } of found) {
    try {
      await addOwnDocument(experiment.root, id, name, await readFile(file))
      added += 1
    } catch (error) {
      if (!(error instanceof DatasetEditError)) throw error
      left += 1
      print(`left out: ${error.message}`)
    }
  }
  print(`${plural(added, 'document')} added to ${id}${left === 0 ? '' : `, ${countWords(left)} left out`}`)
  return left === 0 ? EXIT.ok : EXIT.badInput
}

async function addQuestions({ experiment, args: [id = '', file = ''], print }: Call): Promise<ExitCode> {
  const dataset = ownDataset(experiment, id)
  const format = formatOf(withoutGzip(file))
  const bytes = await unpackedFile(file).catch((error: unknown) => {
    throw error instanceof ImportError ? error : new InputError([`${file} cannot be read: correct the path`])
  })
  const { lines, notices } = await previewQuestions(experiment.root, dataset, bytes, format)
  for (const notice of notices) print(notice)
  const wrong = lines.filter(({ question }) => question === null)
  if (wrong.length > 0) {
    for (const { line, problems } of wrong) print(`row ${line}: ${problems.join('; ')}`)
    print(`nothing was added: correct ${plural(wrong.length, 'row')} of ${lines.length}`)
    return EXIT.badInput
  }
  const questions = lines.flatMap(({ question }) => question ?? [])
  const { file: stored } = await saveQuestions(experiment.root, dataset, null, questions)
  print(`${plural(questions.length, 'question')} added to ${id}, which has ${countWords(stored.questions.length)} now`)
  return EXIT.ok
}

function formatOf(file: string): QuestionFormat {
  const ending = extname(file).toLowerCase().slice(1)
  const format = QUESTION_FORMATS.find((each) => each === ending)
  if (format !== undefined) return format
  throw new InputError([
    `${file}: expected a file that ends in ${QUESTION_FORMATS.map((each) => `.${each}`).join(', ')}`,
  ])
}

async function check({ experiment, args: [id = ''], invocation, print }: Call): Promise<ExitCode> {
  const dataset = datasetOf(experiment, id)
  const summaries = await summariesIn(join(experiment.root, 'results'), {})
  const earlier = summaries.filter((summary) => summary.dataset.id === id)
  const result = await checkDataset(experiment.root, dataset, earlier)
  const code = result.problems.length === 0 ? EXIT.ok : EXIT.badInput
  if (flagOption(invocation, 'json')) {
    invocation.stdout.write(`${JSON.stringify(result)}\n`)
    return code
  }
  for (const { place, message, remedy } of result.problems) print(`${place}: ${message}; ${remedy}.`)
  for (const { place, message } of result.warnings) print(`Warning about ${place}: ${message}.`)
  print(
    `${plural(result.documents, 'document')}, ${plural(result.questions, 'question')}: ${result.problems.length === 0 ? 'no problem found' : plural(result.problems.length, 'problem')}`,
  )
  const decides = plannedWords('The dataset', result.planned_difference)
  if (decides !== null) print(`${decides}.`)
  print(`Declared level ${result.complexity_level}; ${measuredLevelWords(result.measured_level)}.`)
  return code
}
