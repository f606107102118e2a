// Classes of drafted questions, by what an answer takes. They are those of BenchmarkQED's AutoQ (one fact: data-local; bridge, comparison, intersection and time:
// data-linked; aggregate: data-global) with unanswerable ones beside them. A drafted question has the name of its class as a tag.
import { z } from 'zod'

interface QuestionClassDescriptor {
  label: string
  about: string
  /** Passages that one call shows; each is of another document. */
  passages: number
  /** Documents that the gold passages must at least be of; 0 where no document holds the answer. */
  least: number
}

export const QUESTION_CLASSES = {
  one_fact: { label: 'One fact', about: 'one passage answers it', passages: 1, least: 1 },
  bridge: { label: 'Bridge', about: 'a fact of one document leads to the fact of another', passages: 2, least: 2 },
  comparison: { label: 'Comparison', about: 'two things are compared, each in its document', passages: 2, least: 2 },
  intersection: {
    label: 'Intersection',
    about: 'what meets a condition of each of two documents',
    passages: 2,
    least: 2,
  },
  time: { label: 'Time', about: 'order, duration or change, by the dates of two documents', passages: 2, least: 2 },
  aggregate: {
    label: 'Aggregate',
    about: 'a count, list or common trait over several documents',
    passages: 4,
    least: 3,
  },
  unanswerable: {
    label: 'Unanswerable',
    about: 'about the subject, but no document holds the answer',
    passages: 1,
    least: 0,
  },
} as const satisfies Record<string, QuestionClassDescriptor>

export type QuestionClass = keyof typeof QUESTION_CLASSES
export const QuestionClass = z.enum(Object.keys(QUESTION_CLASSES) as [QuestionClass, ...QuestionClass[]])

export const questionClass = (name: QuestionClass): QuestionClassDescriptor => QUESTION_CLASSES[name]

/** Most passages that one call shows. */
export const MOST_PASSAGES = Math.max(...Object.values(QUESTION_CLASSES).map(({ passages }) => passages))

/** The class that a number of facts to join stands for, where none is named. */
export const classOfHops = (hops: number): QuestionClass => (hops > 1 ? 'bridge' : 'one_fact')
