import { hash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { HumanRound, HumanSeal } from '../../../contract/evidence/human-round.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { neutralize } from '../../../core/judging/neutralize.ts'
import { answerOrder, type BlindedQuestion, blindQuestion, letterAt } from '../blinding.ts'
import { JudgePanelError } from '../judge-error.ts'
import { leakScan } from '../leak-scan.ts'
import type { PanelInput, PanelQuestion } from '../panel-input.ts'

interface HumanRoundOptions {
  /** Every declared alias: no text of the round may name one. */
  aliases: readonly string[]
  /** Shows the ground truth and the gold passages beside the answers. */
  reference: boolean
  /** Limits a round to so many questions, drawn at random; all when absent. */
  questions?: number
  /** States where the blinded sets go, for the voter. */
  roundFile: string
  /** States where the seal goes; not for the voter before the votes are in. */
  sealFile: string
  /** 32 bytes in hex; random unless a test gives it. Unknown to the voter, so that the order cannot be worked out from the rule. */
  salt?: string
}

/** Returns what is published before the vote: the hash of the seal, salt and all. */
export const commitmentOf = (seal: HumanSeal): string => hash('sha256', canonicalJson(seal))

interface BlindedRound {
  round: HumanRound
  seal: HumanSeal
  /** Questions that are left out because their texts would reveal an approach. */
  blocked: string[]
}

/**
 * Writes the stored answers as blinded sets for a person, and apart from them the sealed permutation, whose hash is in the round. The seal is
 * written first: a round without a seal could never be opened. Questions whose texts would reveal an approach are left out and counted. Throws
 * `JudgePanelError` when nothing is left to vote on, and when there is a round already: votes on it could no longer be opened.
 */
export async function exportHumanRound(input: PanelInput, options: HumanRoundOptions): Promise<BlindedRound> {
  const blinded = blindRound(input, options)
  await sealRound(blinded, options)
  return blinded
}

/** Makes a round durable, its seal first. Throws `JudgePanelError` when there is one already. */
async function sealRound(
  { round, seal }: Pick<BlindedRound, 'round' | 'seal'>,
  options: Pick<HumanRoundOptions, 'roundFile' | 'sealFile'>,
): Promise<void> {
  const before = [options.roundFile, options.sealFile].find((file) => existsSync(file))
  if (before !== undefined)
    throw new JudgePanelError(
      'human_round_exists',
      `${basename(before)} exists already: vote on that round, or move it, its seal and its votes aside for a new one`,
      { file: before },
    )
  await writeAtomic(options.sealFile, `${JSON.stringify(seal, null, 2)}\n`)
  await writeAtomic(options.roundFile, `${JSON.stringify(round, null, 2)}\n`)
}

/** A round that is not stored yet. Throws `JudgePanelError` when nothing is left to vote on. */
export function blindRound(
  input: PanelInput,
  options: Pick<HumanRoundOptions, 'aliases' | 'reference' | 'questions' | 'salt'>,
): BlindedRound {
  const salt = options.salt ?? randomBytes(32).toString('hex')
  const models = input.questions.flatMap(({ answers }) => answers.map(({ model }) => model))
  const scan = leakScan([...options.aliases, ...models])
  const passagesOf = ({ gold = [] }: PanelQuestion): readonly string[] => (options.reference ? gold : [])
  const blinded = input.questions.map((question) =>
    blindQuestion(question, scan, options.reference, passagesOf(question)),
  )
  const open = drawn(
    blinded.filter(({ leaks }) => leaks.length === 0),
    options.questions,
    salt,
  )
  if (open.length === 0)
    throw new JudgePanelError(
      'nothing_to_judge',
      `${input.datasetId}: there is no question that could be voted on blindly`,
    )
  const width = String(open.length).length
  const sealed = open.map(({ question, shown }, index) => {
    const passages = passagesOf(question)
    const groups = sameTexts(shown)
    const order = answerOrder([...groups.keys()], { queryId: question.id, judge: 'human', rotation: 0 }, salt)
    const set = {
      set: `set-${String(index + 1).padStart(width, '0')}`,
      question: neutralize(question.query),
      reference: options.reference && question.groundTruth !== null ? neutralize(question.groundTruth) : null,
      ...(passages.length === 0 ? {} : { passages: passages.map(neutralize) }),
      answers: order.map((model, index) => ({ letter: letterAt(index), text: shown.get(model)!.text })),
    }
    const others = [...groups].filter(([, same]) => same.length > 0)
    const same = others.length === 0 ? {} : { same: Object.fromEntries(others) }
    return {
      set,
      entry: { set: set.set, query_id: question.id, order, ...same, sha256: hash('sha256', canonicalJson(set)) },
    }
  })
  const seal: HumanSeal = {
    schema_version: 1,
    salt,
    run_id: input.runId,
    dataset_id: input.datasetId,
    sets: sealed.map(({ entry }) => entry),
  }
  const commitment = commitmentOf(seal)
  const round: HumanRound = {
    schema_version: 1,
    // Not the run's own name: people name runs after approaches.
    round_id: `round-${commitment.slice(0, 12)}`,
    commitment: { algorithm: 'sha256', value: commitment },
    scale: { lowest: 1, highest: 5 },
    sets: sealed.map(({ set }) => set),
    blocked: blinded.filter(({ leaks }) => leaks.length > 0).length,
  }
  const blocked = blinded.flatMap(({ question, leaks }) => (leaks.length > 0 ? [question.id] : []))
  return { round, seal, blocked }
}

/** One approach for each different text, the first by name, with the others that gave the same text. */
function sameTexts(shown: ReadonlyMap<string, { text: string }>): Map<string, string[]> {
  const first = new Map<string, string>()
  const groups = new Map<string, string[]>()
  for (const model of [...shown.keys()].sort()) {
    const text = shown.get(model)!.text.trim()
    const known = first.get(text)
    if (known !== undefined) groups.get(known)!.push(model)
    else {
      first.set(text, model)
      groups.set(model, [])
    }
  }
  return groups
}

/** A random sample of the questions, in their order. The salt is not known in advance, so no one can pick questions by their answers. */
function drawn(questions: BlindedQuestion[], wanted: number | undefined, salt: string): BlindedQuestion[] {
  if (wanted === undefined || wanted >= questions.length) return questions
  const lots = questions.map(({ question }) => hash('sha256', `${salt}\0${question.id}`)).toSorted()
  return questions.filter(({ question }) => hash('sha256', `${salt}\0${question.id}`) < lots[wanted]!)
}

/** A ballot for a round: every grade still empty. Sets that stay empty are not voted on. */
export const emptyBallot = ({ round_id, sets }: HumanRound) => ({
  round_id,
  rater: '',
  votes: sets.map(({ set, answers }) => ({
    set,
    scores: Object.fromEntries(answers.map(({ letter }) => [letter, null])),
    best: null,
  })),
})
