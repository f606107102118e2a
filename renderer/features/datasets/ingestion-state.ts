import type { Tone } from '../../components/state-dot.tsx'
import { DATASETS_WORDS } from './datasets-words.ts'

const WORDS = DATASETS_WORDS.table

interface DatasetFacts {
  /** Number of documents; undefined until it is known. */
  documents: number | undefined
  questions: number
  /** The newest run that has answers to its questions. */
  run: string | undefined
  /** True while a run over it is under way or queued. */
  isUnderWay: boolean
}

/** States how far a dataset is: a run ingests its documents, so the newest run shows whether they are. */
export function ingestionState({ documents, questions, run, isUnderWay }: DatasetFacts): { tone: Tone; words: string } {
  if (isUnderWay) return { tone: 'waiting', words: WORDS.inRun }
  if (documents === 0) return { tone: 'idle', words: WORDS.noDocuments }
  if (run !== undefined) return { tone: 'good', words: WORDS.ingested }
  return questions === 0 ? { tone: 'idle', words: WORDS.noQuestions } : { tone: 'idle', words: WORDS.notIngested }
}
