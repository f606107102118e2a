import { NO_ANSWER } from '../../prompts/answer-task.ts'
import { candidateSentences } from '../answering/candidates.ts'
import { gatherEvidence, MOST_SENTENCES } from '../answering/evidence.ts'
import { answerQuestion } from '../answering/answer-question.ts'
import { refusalReason } from '../answering/refusal.ts'
import { support, weighTerms } from '../answering/support.ts'
import { verdictOn } from '../answering/verdict.ts'
import { scoreRelevance } from '../relevance/score-relevance.ts'
import type { Question } from '../matching/question.ts'
import type { Walk } from './walk.ts'

interface Passage {
  title: string
  text: string
}

/** Passages that are read for a plain answer, the most relevant ones. */
const READ_PASSAGES = 5
/** Share of the question that a chain must cover, and how much more of it a plain answer must cover to be preferred. */
const LEAST_TOLD = 0.2
const PLAIN_LEAD = 0.3
/** How much worse than the best chain another one may be whose different sentence is added too. */
const BESIDE = 0.12

/** An answer from the passages: a verdict, the best chain of sentences, or, where no chain covers enough, what answers by itself. */
export function composeAnswer(question: Question, walks: readonly Walk[], passages: readonly Passage[]): string {
  const read = mostRelevant(question, passages)
  const best = walks[0]
  const isDecided = verdictOn(question, candidateSentences(read)) !== null
  if (best === undefined || isDecided || !isChain(best, question, read))
    return answerQuestion({ question: question.text, passages: read })
  const sentences = best.lines.map((line) => ({
    ...line,
    kind: 'prose' as const,
    passage: 0,
    position: 0,
    around: line.near,
  }))
  const refusal = refusalReason(question, [...passages], { sentences, share: best.told })
  return refusal === null ? toldBy(walks).map(closed).join(' ') : `${NO_ANSWER} ${refusal}`
}

const isChain = ({ lines, told }: Walk, question: Question, read: readonly Passage[]): boolean =>
  lines.length > 1 && told >= LEAST_TOLD && plainShare(question, read) <= told + PLAIN_LEAD

/** The last sentences of the best walk, which hold what is asked for, then those in which walks that are nearly as good differ from it. */
function toldBy(walks: readonly Walk[]): string[] {
  const best = walks[0]!
  const lines = best.lines.slice(-MOST_SENTENCES)
  for (const { score, lines: others } of walks) {
    if (score < best.score - BESIDE || lines.length === MOST_SENTENCES) break
    const more = others.filter((line) => !best.lines.includes(line))
    if (more.length === 1) lines.push(more[0]!)
  }
  return lines.map(({ text }) => text)
}

function mostRelevant(question: Question, passages: readonly Passage[]): Passage[] {
  const scored = passages.map((passage) => ({ passage, score: scoreRelevance(question.text, passage.text) }))
  const ordered = scored.toSorted((a, b) => b.score - a.score)
  return ordered.slice(0, READ_PASSAGES).map(({ passage }) => passage)
}

/** The share of the question that sentences of these passages meet, whether they hang together or not. */
function plainShare(question: Question, passages: readonly Passage[]): number {
  const candidates = candidateSentences(passages)
  const terms = weighTerms(question, candidates)
  const supported = candidates.map((candidate) => support(question, terms, candidate))
  return gatherEvidence(question, terms, supported).share
}

const closed = (text: string): string => (/[.!?…:;"”’')\]]$/.test(text) ? text : `${text}.`)
