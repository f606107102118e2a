import { plural } from '../../components/format.ts'
import type { TourStep } from './tour-steps.ts'

/** The texts of the first-start tour. */
export const TOUR_WORDS = {
  title: 'Tour',
  steps: 'Steps of the tour',
  stepOf: (number: number, total: number) => `Step ${number} of ${total}`,
  heads: {
    purpose: 'Which approach fits your documents?',
    run: 'Run all approaches',
    read: 'Read the result',
    ask: 'Ask your own question',
  } satisfies Record<TourStep, string>,
  skip: 'Skip the tour',
  back: 'Back',
  next: 'Next',
  finish: 'Finish',
  againAbout: 'Open it again at any time in the Guide.',
  saving: 'Remembering that the tour was seen',

  purpose: {
    what: 'RAG Ladder sends the same questions to seven ways of answering from documents, scores every answer against known facts, and shows which way is better and how sure that is.',
    how: 'In about two minutes you run them on a few short documents, read the result, and ask a question of your own.',
    local: 'Nothing leaves this machine: built-in rules answer until you choose models.',
  },

  run: {
    what: (documents: number, questions: number, approaches: number) =>
      `The dataset has ${plural(documents, 'short document')} and ${plural(questions, 'question')} with known answers. A run ingests the documents, asks every question of ${plural(approaches, 'approach', 'approaches')}, and scores what they answer. It takes about 20 seconds.`,
    start: (questions: number, approaches: number) =>
      `Run ${plural(questions, 'question')} × ${plural(approaches, 'approach', 'approaches')}`,
    starting: 'Starting the run',
    cells: (done: string, total: string) => `${done} of ${total} answers`,
    preparing: 'Starting the services and ingesting the documents …',
    cellsDone: 'Answers done',
    complete: (run: string, cells: string) =>
      `● ${run} is complete: ${cells} answers, one of each approach to each question.`,
    needed: 'Run it first: the next steps show its result.',
    busy: (run: string) => `Another run, ${run}, is under way. This one starts after it.`,
  },

  read: {
    what: 'Every run ends in sentences like these. An approach leads only where a test shows that the difference is larger than chance explains; four questions are too few for a test, so the next step says how to get one.',
    waiting: 'The result is being read …',
    more: 'All figures of this run',
  },

  ask: {
    what: 'Type a question that these documents can answer. Every approach answers it, one after the other, with the passages that it used. The question is stored in no run.',
    documents: (documents: number) => `Read the ${plural(documents, 'document')}`,
    question: 'Your question',
    placeholder: 'For example: who looks after the lock?',
    ask: 'Ask all approaches',
    needsQuestion: 'Type a question.',
    asking: 'The answers come one by one …',
    answered:
      'That is the whole cycle: documents, questions, answers side by side. The next step is your own documents.',
    own: 'New dataset',
    ownAbout: 'Opens the Datasets page',
  },
}
