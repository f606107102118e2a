import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isHttpApproach, OWN_APPROACHES_FOLDER, ownApproachFile } from '../../../contract/manifests/own-approaches.ts'
import { OWN_PRESETS } from '../../../contract/manifests/own-presets.ts'
import { jsonIn, isRecord } from '../../../core/json.ts'
import type { OwnApproachFile } from '../../../core/own-approaches/read-approaches.ts'
import { writeNew } from '../../lib/files/write-atomic.ts'
import { loadExperiment, type Experiment } from '../../manifests/experiment.ts'
import { EXAMPLES } from '../../manifests/project/own-approach-examples.ts'
import { refuseTakenName, removeOwnApproach, storeOwnApproach } from '../../manifests/project/own-approach-store.ts'
import { ownApproachRefusals } from '../../manifests/project/own-approaches.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, textOption, textValue, type ExitCode } from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'
import { printTrial } from '../print-trial.ts'
import { commandOfVerbs, type VerbCall, type Verbs } from '../verbs.ts'

// Approaches of a person's own: `rag-ladder approaches add mine --preset lightrag --url http://127.0.0.1:9621` writes approaches/mine.yaml, and
// `rag-ladder ladder --models hybrid-rag,mine` compares it.

type Call = VerbCall<{ experiment: Experiment }>

const VERBS: Verbs<{ experiment: Experiment }> = {
  list: {
    usage: 'list',
    about: 'own approaches of the project, and what is wrong with a file',
    takes: [0, 0],
    run: list,
  },
  presets: { usage: 'presets', about: 'servers whose requests and replies are known', takes: [0, 0], run: presets },
  new: {
    usage: 'new NAME --language python|typescript',
    about: 'writes a program that works as it is, to start from',
    takes: [1, 1],
    run: create,
  },
  add: {
    usage: 'add NAME --preset PRESET --url ADDRESS [SETTING=VALUE...]',
    about: 'adds a service by its preset, or by --kind with --answer, --contexts and --text',
    takes: [1, 50],
    run: add,
  },
  test: {
    usage: 'test NAME [QUESTION]',
    about: 'asks one question and shows what a run would get',
    takes: [1, 2],
    run: test,
  },
  remove: {
    usage: 'remove NAME',
    about: 'removes its file; a program and finished answers stay',
    takes: [1, 1],
    run: remove,
  },
}

export const approachesCommand = commandOfVerbs({
  name: 'approaches',
  verbs: VERBS,
  positionals: '<verb> [name] [setting=value ...]',
  options: {
    project: RUN_OPTIONS.project,
    language: textValue('NAME', `of a new program: ${Object.keys(EXAMPLES).join(' or ')}`),
    preset: textValue('NAME', 'server that is asked; `approaches presets` lists them'),
    kind: textValue('KIND', 'without a preset: chat or retriever'),
    url: textValue('ADDRESS', 'address of the server; without a preset the whole address'),
    header: textValue('NAME: VALUE', 'header such as "authorization: Bearer ${MY_API_KEY}"'),
    body: textValue('JSON', 'fields of the request; {{question}} is replaced by the question'),
    answer: textValue('PATH', 'where a reply holds the answer'),
    contexts: textValue('PATH', 'where a reply lists passages, such as sources[]'),
    text: textValue('PATH', 'text within a passage'),
    title: textValue('PATH', 'document within a passage'),
  },
  load: async (invocation) => ({ experiment: await loadExperiment(projectFolder(invocation)) }),
})

function list({ experiment, print }: Call): Promise<ExitCode> {
  const { usable, unusable } = experiment.ownApproaches
  if (usable.length + unusable.length === 0)
    print('This project has no own approach. Add one: rag-ladder approaches new mine --language python')
  for (const { name, approach } of usable) {
    const called = isHttpApproach(approach) ? approach.url : approach.command.join(' ')
    const [refusal] = ownApproachRefusals(experiment, [experiment.aliases.get(name)!], null)
    print(`${name}  ${approach.kind}  ${called}${refusal === undefined ? '' : '  (not allowed yet)'}`)
  }
  for (const { file, problems } of unusable) print(`${file} cannot be used: ${problems.join('; ')}`)
  return Promise.resolve(EXIT.ok)
}

function presets({ print }: Call): Promise<ExitCode> {
  for (const [name, { kind, about }] of Object.entries(OWN_PRESETS)) print(`${name}  ${kind}  ${about}`)
  return Promise.resolve(EXIT.ok)
}

async function create({ experiment, args: [name = ''], invocation, print }: Call): Promise<ExitCode> {
  const language = textOption(invocation, 'language') ?? 'python'
  if (!Object.hasOwn(EXAMPLES, language))
    throw new InputError([`--language ${language}: expected ${Object.keys(EXAMPLES).join(' or ')}`])
  const { extension, program, text } = EXAMPLES[language as keyof typeof EXAMPLES]
  const file = `${OWN_APPROACHES_FOLDER}/${name}.${extension}`
  refuseTakenName(experiment, name)
  const path = join(experiment.root, file)
  if (existsSync(path)) throw new InputError([`${file} exists already: choose another name`])
  await writeNew(path, text)
  await store(experiment.root, name, {
    kind: 'command',
    command: [program, file],
    ingest: true,
    timeout_s: 60,
  })
  print(
    `Wrote ${file} and ${ownApproachFile(name)}. You may run them; the others of a project you allow with rag-ladder trust FILE.`,
  )
  print(`Try it: rag-ladder approaches test ${name}`)
  print(`Compare it: rag-ladder ladder --dataset smoke --models hybrid-rag,${name}`)
  return EXIT.ok
}

async function add({ experiment, args: [name = '', ...assignments], invocation, print }: Call): Promise<ExitCode> {
  const option = (key: string): string | null => textOption(invocation, key)
  refuseTakenName(experiment, name)
  const [preset, body, header] = [option('preset'), option('body'), option('header')]
  if (preset !== null && !Object.hasOwn(OWN_PRESETS, preset))
    throw new InputError([`--preset ${preset}: unknown; there are ${Object.keys(OWN_PRESETS).join(', ')}`])
  const fields = body === null ? {} : jsonIn(body)
  if (!isRecord(fields)) throw new InputError(['--body: expected a JSON object such as {"model": "m"}'])
  const [, header_name, value] = header === null ? [] : (/^([^:]+):\s*(.+)$/.exec(header) ?? [])
  if (header !== null && value === undefined) throw new InputError(['--header: expected NAME: VALUE'])
  const [contexts, text, title] = [option('contexts'), option('text'), option('title')]
  const reply = {
    ...(option('answer') === null ? {} : { answer: option('answer') }),
    ...(contexts === null
      ? {}
      : { contexts: { list: contexts, text: text ?? 'text', ...(title === null ? {} : { title, document: title }) } }),
  }
  const kind = preset === null ? (option('kind') ?? 'chat') : OWN_PRESETS[preset as keyof typeof OWN_PRESETS].kind
  await store(experiment.root, name, {
    kind,
    ...(preset === null ? {} : { preset }),
    url: option('url') ?? '',
    ...(header_name === undefined ? {} : { headers: { [header_name]: value } }),
    settings: Object.fromEntries(assignments.map(settingOf)),
    body: fields,
    reply,
  })
  print(`Added ${ownApproachFile(name)}. Try it: rag-ladder approaches test ${name}`)
  return EXIT.ok
}

function settingOf(assignment: string): [string, string] {
  const [key = '', ...rest] = assignment.split('=')
  if (rest.length === 0) throw new InputError([`${assignment}: expected SETTING=VALUE`])
  return [key, rest.join('=')]
}

/** Names the file in what is wrong with it. */
async function store(root: string, name: string, values: object): Promise<void> {
  await storeOwnApproach(root, name, values).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.problems.map((problem) => `${ownApproachFile(name)}: ${problem}`))
  })
}

function fileOf({ ownApproaches }: Experiment, name: string): OwnApproachFile {
  const found = ownApproaches.usable.find((each) => each.name === name)
  if (found !== undefined) return found
  const wrong = ownApproaches.unusable.find((each) => each.name === name)
  throw new InputError(
    wrong === undefined
      ? [
          `no own approach is named ${name}; there are ${ownApproaches.usable.map((each) => each.name).join(', ') || 'none'}`,
        ]
      : wrong.problems.map((problem) => `${wrong.file}: ${problem}`),
  )
}

async function test({ experiment, args: [name = '', question], print, invocation }: Call): Promise<ExitCode> {
  const file = fileOf(experiment, name)
  const refusals = ownApproachRefusals(experiment, [experiment.aliases.get(name)!], null)
  if (refusals.length > 0) throw new InputError(refusals)
  const { tryOwnApproach } = await import('../../../core/own-approaches/try-approach.ts')
  const trial = await tryOwnApproach(experiment.root, file, question ?? null, invocation.env)
  printTrial(trial, print)
  return trial.problem === null ? EXIT.ok : EXIT.serviceFailed
}

async function remove({ experiment, args: [name = ''], print }: Call): Promise<ExitCode> {
  const file = ownApproachFile(name)
  const text = await removeOwnApproach(experiment.root, name)
  const program = /approaches\/[\w.-]+\.\w+/.exec(text)?.[0]
  print(
    `Removed ${file}.${program === undefined ? '' : ` Its program ${program} stays.`} Answers that were made with it stay.`,
  )
  return EXIT.ok
}
