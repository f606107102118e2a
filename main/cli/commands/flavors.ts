import { readFile } from 'node:fs/promises'
import { messageOf } from '../../../core/json.ts'
import { EDITABLE_PROMPTS, promptProblem, type EditablePrompt } from '../../../contract/prompts.ts'
import { parameterFields, type ParameterField } from '../../../core/approach-parameters.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { OWN_FLAVORS_FILE, ownParameters, type OwnFlavor } from '../../../contract/manifests/flavors.ts'
import { plural } from '../../../contract/words.ts'
import { plainNumber } from '../../../core/plain-number.ts'
import { loadExperiment, type Experiment } from '../../manifests/experiment.ts'
import { parametersToSet, removeOwnFlavor, saveOwnFlavor, startingAlias } from '../../manifests/own-flavors.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, textOption, textValue, type ExitCode } from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'
import { commandOfVerbs, type VerbCall, type Verbs } from '../verbs.ts'

// Approaches with other parameters, under names of their own: `rag-ladder flavors add hybrid-k10 --from hybrid-rag top_n=10` writes one to the
// state folder, and `rag-ladder ladder --models hybrid-rag,hybrid-k10` puts it beside the one that it comes from.

type Call = VerbCall<{ experiment: Experiment }>

const VERBS: Verbs<{ experiment: Experiment }> = {
  list: {
    usage: 'list [ALIAS]',
    about: 'all aliases with their parameters, or what can be set of one',
    takes: [0, 1],
    run: list,
  },
  add: {
    usage: 'add NAME --from ALIAS PARAMETER=VALUE...',
    about: 'adds a flavor: the parameters of ALIAS with other values; one of yours with that name is replaced',
    takes: [1, 50],
    run: add,
  },
  prompt: {
    usage: 'prompt NAME',
    about: 'prints the prompt answer or agent, to start a file of your own from',
    takes: [1, 1],
    run: printPrompt,
  },
  remove: {
    usage: 'remove NAME',
    about: 'removes a flavor of yours; finished answers stay',
    takes: [1, 1],
    run: remove,
  },
}

export const flavorsCommand = commandOfVerbs({
  name: 'flavors',
  verbs: VERBS,
  positionals: '<verb> [name] [parameter=value ...]',
  options: {
    project: RUN_OPTIONS.project,
    from: textValue('ALIAS', 'alias whose parameters a new flavor starts from'),
    prompt: textValue(
      'NAME=FILE',
      'text of a file in place of a prompt, for a new flavor: answer=my-answer.txt or agent=…',
    ),
  },
  load: async (invocation) => ({ experiment: await loadExperiment(projectFolder(invocation)) }),
})

const valuesText = (parameters: object): string =>
  Object.entries(parameters)
    .map(
      ([name, value]) =>
        `${name}=${typeof value !== 'string' ? JSON.stringify(value) : value.includes('\n') ? `(${plural(value.split('\n').length, 'line')})` : value}`,
    )
    .join(' ')

function list({ experiment, args: [wanted], print }: Call): Promise<ExitCode> {
  const { aliases, ownAliases } = experiment
  if (wanted !== undefined) describe(startingAlias(experiment, wanted), experiment, print)
  else
    for (const { alias, flavor } of aliases.values())
      print(`${alias}${ownAliases.includes(alias) ? ' (your own)' : ''}  ${valuesText(flavor.parameters)}`)
  return Promise.resolve(EXIT.ok)
}

function describe(alias: Alias, { consumer }: Experiment, print: Call['print']): void {
  const values = parametersToSet(alias, consumer)!
  print(`${alias.alias}, an alias of ${alias.base}:`)
  for (const field of parameterFields(alias.base))
    print(`  ${valuesText({ [field.name]: values[field.name] ?? '' })}  ${field.about} ${rangeText(field)}`)
}

function rangeText({ kind, range, options }: ParameterField): string {
  if (kind === 'switch') return 'true or false.'
  if (kind === 'choice') return `${options.join(', ')}.`
  const [least, most] = range!
  if (kind === 'text') return `Text of at most ${most} characters; empty for none.`
  return `${kind === 'integer' ? 'Whole number, ' : ''}${least} to ${most}.`
}

async function add({ experiment, args: [name = '', ...assignments], invocation, print }: Call): Promise<ExitCode> {
  const from = textOption(invocation, 'from')
  if (from === null) throw new InputError(['name the alias that it starts from: --from hybrid-rag'])
  const alias = startingAlias(experiment, from)
  const values = {
    ...parametersToSet(alias, experiment.consumer),
    ...assignedValues(alias, assignments),
    ...(await promptOfFile(alias, textOption(invocation, 'prompt'))),
  }
  const parsed = ownParameters(alias.base)!.safeParse(withoutEmpty(values))
  const replaced = experiment.ownAliases.includes(name) ? ', in place of the one of that name' : ''
  const parameters = parsed.success ? parsed.data : (values as OwnFlavor['parameters'])
  await saveOwnFlavor(experiment, name, { base: alias.base, parameters })
  print(`Added ${name} to ${OWN_FLAVORS_FILE}${replaced}: ${valuesText(parameters)}`)
  print(`Compare it: rag-ladder ladder --models ${alias.base},${name}`)
  return EXIT.ok
}

function printPrompt({ args: [name = ''], print }: Call): Promise<ExitCode> {
  print(promptNamed(name).prompt.instructions.join('\n'))
  return Promise.resolve(EXIT.ok)
}

function promptNamed(name: string): (typeof EDITABLE_PROMPTS)[EditablePrompt] {
  if (name in EDITABLE_PROMPTS) return EDITABLE_PROMPTS[name as EditablePrompt]
  throw new InputError([`no prompt that a flavor can replace is named ${name}; there are ${NAMES}`])
}

const NAMES = Object.keys(EDITABLE_PROMPTS).join(', ')

/** The parameter that `--prompt NAME=FILE` sets. Throws `InputError` for an unknown name, a file that cannot be read, and a text that cannot be used. */
async function promptOfFile({ base, alias }: Alias, option: string | null): Promise<Record<string, string>> {
  if (option === null) return {}
  const [name = '', ...rest] = option.split('=')
  const file = rest.join('=')
  if (file === '') throw new InputError([`--prompt ${option}: expected NAME=FILE with one of ${NAMES}`])
  const { parameter } = promptNamed(name)
  if (!parameterFields(base).some((field) => field.name === parameter))
    throw new InputError([`--prompt ${name}: ${alias} has no prompt of that name`])
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new InputError([`cannot read ${file}: ${messageOf(error)}`])
  })
  const problem = promptProblem(name as EditablePrompt, text)
  if (problem !== null) throw new InputError([`${file}: ${problem}`])
  return { [parameter]: text.trim() }
}

/** Throws `InputError` for what is not `parameter=value` with a parameter of the approach. */
function assignedValues({ base, alias }: Alias, assignments: readonly string[]): Record<string, unknown> {
  const fields = new Map(parameterFields(base).map((field) => [field.name, field]))
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [name = '', ...rest] = assignment.split('=')
      const field = fields.get(name)
      if (rest.length === 0 || field === undefined)
        throw new InputError([
          `${assignment}: expected PARAMETER=VALUE with a parameter of ${alias}: ${[...fields.keys()].join(', ')}`,
        ])
      return [name, valueOf(field, rest.join('='))]
    }),
  )
}

const NUMBERS = { integer: 'whole', share: 'decimal' } as const

function valueOf({ kind }: ParameterField, text: string): unknown {
  if (kind === 'switch') return text === 'true' ? true : text === 'false' ? false : text
  // A text that is no such number is refused with the field's range, as on the page.
  return kind === 'integer' || kind === 'share' ? (plainNumber(text, NUMBERS[kind]) ?? text) : text
}

const withoutEmpty = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))

async function remove({ experiment, args: [name = ''], print }: Call): Promise<ExitCode> {
  await removeOwnFlavor(experiment, name)
  print(`Removed ${name} from ${OWN_FLAVORS_FILE}. Answers that were made with it stay.`)
  return EXIT.ok
}
