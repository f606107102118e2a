import type {
  DraftedQuestion,
  DraftPlan,
  DraftPower,
  DraftStep,
} from '../../../../contract/control/drafted-questions.ts'
import { powerWords } from '../../../../core/draft-words.ts'
import { QUESTION_CLASSES, type QuestionClass } from '../../../../contract/question-classes.ts'
import { costWords } from '../../../../contract/words.ts'
import { count, plural } from '../../../components/format.ts'

/** The texts of drafting questions by a model. */
export const DRAFT_WORDS = {
  open: 'Draft questions',
  title: 'Draft questions',
  about:
    'A model reads passages of the documents and writes questions, each with its answer and the passage that holds it. Every passage is looked up in its document. The drafts wait here; no run asks them before you accept them.',
  count: 'Questions',
  countAbout: 'At most; drafts that fail a check are dropped',
  classes: 'Classes',
  classesAbout: 'An equal share of each; rules draft questions of one fact only',
  classLabel: (name: QuestionClass) => `${QUESTION_CLASSES[name].label}: ${QUESTION_CLASSES[name].about}`,
  documents: 'Documents',
  documentsAbout: 'All Markdown and text documents unless you choose some',
  allDocuments: 'All',
  planning: 'Working out the plan',
  thePlan: 'The plan',
  plan: ({ calls, documents, model, rules }: DraftPlan) =>
    rules
      ? `Rules (${model ?? 'builtin'}) draft from ${plural(documents, 'document')}: no language model is chosen, so only sentences that define something become questions.`
      : `Up to ${plural(calls, 'call')} of ${model ?? 'the model of the platform'}, with passages of ${plural(documents, 'document')}.`,
  unread: (documents: number) =>
    `${plural(documents, 'document')} left out: only Markdown and plain text are drafted from.`,
  leaves: ({ input_tokens: read, output_tokens: written }: DraftPlan) =>
    `▲ The passages leave this machine: about ${count(read)} tokens in and ${count(written)} out.`,
  cost: ({ cost }: DraftPlan) => (cost === null ? null : `Expected cost: ${costWords(cost)}.`),
  start: 'Draft',
  send: 'Send passages',
  stop: 'Stop',
  close: 'Close',
  starting: 'Starting the platform …',
  progress: (step: Extract<DraftStep, { type: 'progress' }>) =>
    `${count(step.calls)} of ${plural(step.of, 'call')} · ${plural(step.drafted, 'draft')} kept · ${count(step.dropped)} dropped`,
  done: (drafted: number, repaired: number) =>
    `${plural(drafted, 'draft')} kept${repaired === 0 ? '' : `, ${count(repaired)} with the nearest passage in place of the quoted one`}.`,
  dropped: (number: number, reason: string) => `${count(number)} dropped: ${reason}`,

  list: 'Drafts',
  listTitle: (drafts: number) => `Drafts (${count(drafts)})`,
  listAbout:
    'Read each with its passage. Accepted drafts become questions with the tag "draft"; rejected ones are removed.',
  theDrafts: 'The drafts',
  all: 'Select all',
  select: (id: string) => `Select ${id}`,
  accept: (drafts: number) => `Accept ${count(drafts)}`,
  reject: (drafts: number) => `Reject ${count(drafts)}`,
  accepted: (drafts: number) => `${plural(drafts, 'draft')} accepted`,
  rejecting: 'Rejecting',
  accepting: 'Accepting',
  edit: 'Edit',
  editOf: (id: string) => `Edit ${id}`,
  acceptEdited: 'Accept edited',
  power: (ticked: number, { planned_difference: planned }: DraftPower) => powerWords(ticked, planned),
  query: 'Question',
  answer: 'Expected answer',
  nearest: 'Nearest passage. If it answers the question, reject the draft.',
  passage: (number: number) => `Gold passage ${number}`,
  author: ({ model, rules, repaired }: DraftedQuestion) =>
    `${rules ? `made by rules (${model})` : `by ${model}`}${repaired ? ' · the quoted passage was not in the document: this is the nearest one' : ''}`,
} as const
