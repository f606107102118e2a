import {
  MAX_DRAFTS,
  type DraftedQuestion,
  type DraftPlan,
  type DraftStep,
} from '../../../contract/control/drafted-questions.ts'
import { costWords, countWords, plural } from '../../../contract/words.ts'
import { draftingModel, draftPlan } from '../../engine/corpora/drafting-model.ts'
import { draftSteps, planDrafts } from '../../engine/corpora/draft-questions.ts'
import { acceptDrafts, addDrafts, readDrafts, rejectDrafts } from '../../manifests/datasets/drafted-questions.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { loadPrices } from '../../manifests/models/own-prices.ts'
import { InputError, parseRunnerInputs, splitList } from '../../manifests/runner-inputs.ts'
import { draftPower } from '../../engine/corpora/draft-power.ts'
import { draftFacts } from '../../../core/draft-words.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { QuestionClass } from '../../../contract/question-classes.ts'
import { questioner } from '../announce-effects.ts'
import {
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  wholeNumber,
  type ExitCode,
  type Option,
} from '../command.ts'
import { RUN_OPTIONS } from '../options.ts'
import { ownDataset } from '../own-dataset.ts'
import { choosePlatform } from '../run-setup.ts'
import { listenForStop } from '../stop-signals.ts'
import type { VerbCall, Verbs } from '../verbs.ts'

// Drafts of questions by a model: `rag-ladder dataset draft my_notes`, then `drafts my_notes --accept …`. The panel makes the same calls.

type Call = VerbCall<{ experiment: Experiment }>

const USUAL_COUNT = 12

export const DRAFT_OPTIONS: Readonly<Record<string, Option>> = {
  count: {
    ...wholeNumber(1, MAX_DRAFTS, USUAL_COUNT),
    description: 'with draft: so many questions',
    default: USUAL_COUNT,
  },
  hops: {
    ...wholeNumber(1, 2, 2),
    description: 'with draft: documents that a question joins',
    default: 1,
  },
  class: textValue(
    'NAME,...',
    `with draft: classes of the questions, an equal share of each, in the place of --hops: ${QuestionClass.options.join(', ')}`,
  ),
  from: textValue('PATH,…', 'with draft: only from these documents'),
  yes: flag('with draft: send passages to another machine without asking'),
  accept: textValue('ID,…|all', 'with drafts: make these questions of the dataset'),
  reject: textValue('ID,…|all', 'with drafts: remove these'),
  'model-set': RUN_OPTIONS['model-set'],
}

export const DRAFT_VERBS: Verbs<{ experiment: Experiment }> = {
  draft: {
    usage: 'draft ID [--count N] [--hops 1|2 | --class NAME,…] [--from PATH,…] [--model-set NAME] [--yes]',
    about: 'questions with gold passages, drafted by the model that writes answers; they wait for "drafts"',
    takes: [1, 1],
    run: draft,
  },
  drafts: {
    usage: 'drafts ID [--accept ID,…|all] [--reject ID,…|all]',
    about: 'lists drafts, makes them questions of the dataset, or removes them',
    takes: [1, 1],
    run: drafts,
  },
}

async function draft({ experiment, args: [id = ''], invocation, print }: Call): Promise<ExitCode> {
  const dataset = ownDataset(experiment, id)
  const { root } = experiment
  const { inputs, problems } = parseRunnerInputs(invocation.env)
  const modelSet = textOption(invocation, 'model-set') ?? inputs.modelSet
  const sets = Object.keys(experiment.models.sets)
  if (modelSet !== null && !sets.includes(modelSet))
    problems.push(`--model-set: there is no model set ${modelSet}; there are ${sets.join(', ')}`)
  if (problems.length > 0) throw new InputError(problems)
  const model = draftingModel(experiment, modelSet, invocation.env, inputs.gatewayUrl !== null)
  const wish = {
    count: numberOption(invocation, 'count')!,
    hops: numberOption(invocation, 'hops')!,
    classes: classesOf(textOption(invocation, 'class')),
    documents: splitList(textOption(invocation, 'from')) ?? undefined,
    rules: model.rules,
  }
  const work = await planDrafts(root, dataset, wish)
  const plan = draftPlan(work, model, await loadPrices(root))
  for (const line of planLines(plan)) print(line)
  if (plan.leaves_machine && !flagOption(invocation, 'yes')) {
    const ask = questioner(process.stdin, invocation.stdout)
    if (ask === null) throw new InputError(['nothing was sent: give --yes to send these passages to another machine'])
    if (!/^y(es)?$/i.test((await ask('Send them? [y/N] ')).trim())) return EXIT.badInput
  }
  const stop = listenForStop(() => invocation.stderr.write('stopping: drafts so far are kept\n'))
  const source = choosePlatform({ root, inputs, experiment, modelSet }, invocation, () => undefined)
  const platform = await source.start(dataset.profile.name, stop.drain)
  try {
    let last: DraftStep | null = null
    const steps = draftSteps({
      dataset,
      wish,
      calls: work.calls,
      passages: work.passages,
      drafts: await readDrafts(root, id),
      platform,
      signal: AbortSignal.any([stop.drain, stop.abort]),
      keep: (made) => addDrafts(root, id, made),
    })
    for await (const step of steps) last = step
    if (last?.type === 'done') for (const line of doneLines(last, id)) print(line)
    return EXIT.ok
  } catch (error) {
    if (!stop.drain.aborted) throw error
    print(`stopped: what was drafted before is kept; see "rag-ladder dataset drafts ${id}"`)
    return EXIT.interrupted
  } finally {
    await platform.stop()
    stop.dispose()
  }
}

/** The classes that are named; all of them for `all`. Throws `InputError` for another name. */
function classesOf(text: string | null): QuestionClass[] | undefined {
  if (text === 'all') return QuestionClass.options
  const named = splitList(text)
  const unknown = named?.filter((name) => !QuestionClass.safeParse(name).success) ?? []
  if (unknown.length > 0)
    throw new InputError([
      `--class: there is no class ${unknown.join(', ')}; there are ${QuestionClass.options.join(', ')}`,
    ])
  return named?.map((name) => QuestionClass.parse(name))
}

function* planLines(plan: DraftPlan): Generator<string> {
  const { calls, documents, unread_documents: unread, model, rules, leaves_machine: leaves, cost } = plan
  const author = rules
    ? `rules (${model}), which only turn definitions into questions`
    : (model ?? 'the model of the platform')
  yield `Up to ${plural(calls, 'call')} of ${author}, with passages of ${plural(documents, 'document')}.`
  if (unread > 0) yield `${plural(unread, 'document')} left out: only Markdown and plain text are drafted from.`
  if (leaves)
    yield `The passages leave this machine: about ${countWords(plan.input_tokens)} tokens in and ${countWords(plan.output_tokens)} out.`
  if (cost !== null) yield `Expected cost: ${costWords(cost)}.`
}

function* doneLines(
  { drafted, repaired, dropped }: Extract<DraftStep, { type: 'done' }>,
  id: string,
): Generator<string> {
  const changed = repaired === 0 ? '' : `, ${countWords(repaired)} with the nearest passage in place of the quoted one`
  yield `${plural(drafted, 'draft')} kept${changed}.`
  for (const { count, reason } of dropped) yield `dropped: ${countWords(count)} (${reason})`
  if (drafted > 0) yield `Read them with "rag-ladder dataset drafts ${id}", then accept or reject them.`
}

async function drafts({ experiment, args: [id = ''], invocation, print }: Call): Promise<ExitCode> {
  const dataset = ownDataset(experiment, id)
  const { root } = experiment
  const all = await readDrafts(root, id)
  const named = (option: string): string[] | null => {
    const text = textOption(invocation, option)
    return text === 'all' ? all.map((each) => each.id) : splitList(text)
  }
  const [accepted, rejected] = [named('accept'), named('reject')]
  if (accepted === null && rejected === null) {
    for (const each of all) for (const line of draftLines(each)) print(line)
    if (all.length === 0) print(`${id} has no drafts: make some with "rag-ladder dataset draft ${id}"`)
    else {
      const ids = all.map((each) => each.id)
      const { planned_difference: planned } = await draftPower(dataset.questions, all, ids, [])
      const decides = plannedWords(`${id} with all drafts`, planned)
      if (decides !== null) print(`${decides}.`)
    }
    return EXIT.ok
  }
  if (rejected !== null && rejected.length > 0) await rejectDrafts(root, id, rejected)
  if (accepted !== null && accepted.length > 0) {
    const chosen = accepted.map((each) => ({ id: each }))
    const { file } = await acceptDrafts(root, dataset, null, chosen)
    print(`${plural(accepted.length, 'draft')} accepted: ${id} has ${plural(file.questions.length, 'question')} now`)
  }
  if (rejected !== null) print(`${plural(rejected.length, 'draft')} rejected`)
  return EXIT.ok
}

function* draftLines(draft: DraftedQuestion): Generator<string> {
  const { id, question, model, rules, repaired, nearest } = draft
  yield `${id}  ${question.query}`
  yield `  ${question.ground_truth ?? ''}`
  for (const { document, fact } of question.gold) yield `  ${document}: ${fact ?? ''}`
  if (nearest !== undefined)
    yield `  nearest, if it answers the question reject it: ${nearest.document}: ${nearest.text}`
  const about = draftFacts(draft)
  if (about !== null) yield `  ${about}`
  yield `  ${rules ? `by rules (${model})` : `by ${model}`}${repaired ? ', passage replaced by the nearest one' : ''}`
}
