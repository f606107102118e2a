import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { chunkText } from '../../../core/chunking/chunk-text.ts'
import { runAtOnce } from '../../../core/sliced-work.ts'
import { EXTRACTION_CODE } from '../stores/graph-engine/extractor.ts'
import { CHUNKS_CODE } from '../ingestion/job-record.ts'
import { answerBuiltinChat } from '../models/builtin/answer-chat.ts'
import { embedText } from '../models/builtin/embedding/embed-text.ts'
import { parseExtractReply, renderExtractTask } from '../models/prompts/extract-task.ts'
import { renderBlurbTask } from '../models/prompts/blurb-task.ts'
import { CONTEXTS_CODE } from '../rag/contextual/build-collection.ts'
import { TREE_CODE } from '../rag/tree/build-tree.ts'
import { clusterVectors } from '../rag/tree/cluster-vectors.ts'

const TITLE = 'The lock at Tidewater Quay'
const TEXT = [
  '# The lock at Tidewater Quay',
  'The lock at Tidewater Quay was opened in May 1904. Since 1988 it has been looked after by the Quay Trust.',
  '## Repairs',
  'Tomas Aldering, director of the Quay Trust, had the seals renewed with part TQ-118, which replaces the older TQ-181.',
].join('\n\n')

const blurb = {
  documentTitle: TITLE,
  headings: [TITLE, 'Repairs'],
  before: '',
  document: TEXT,
  chunk: TEXT.slice(-116),
}
const SAMPLES: Readonly<Record<string, () => unknown>> = {
  [CHUNKS_CODE]: () => [
    chunkText({ text: TEXT, strategy: 'recursive', chunk_size: 120, overlap: 20 }),
    chunkText({ text: TEXT, strategy: 'token', chunk_size: 40, overlap: 5 }),
    Array.from(embedText(TEXT), (component) => component.toFixed(3)),
  ],
  [EXTRACTION_CODE]: () => parseExtractReply(answerBuiltinChat(renderExtractTask({ title: TITLE, text: TEXT })).text),
  [CONTEXTS_CODE]: () => answerBuiltinChat(renderBlurbTask(blurb)).text,
  [TREE_CODE]: () => {
    const nodes = TEXT.split(/[.,\n]+/).map((text) => ({ vector: embedText(text), tokens: text.length }))
    return runAtOnce(clusterVectors(nodes, { members: 3, tokens: 200 }))
  },
}

/** Digest of what each version gives for the sample. */
const GIVEN: Readonly<Record<string, string>> = {
  'chunks 1': 'a74146dcf68b159c',
  'extraction 3': '9be6c3977f5625ee',
  'contexts 1': '385c5c4d663c4cf6',
  'tree 1': 'b4989f1e6e20221c',
}

it.each(Object.entries(SAMPLES))(
  'what is stored as made by %s can be used again: that version still gives the same. Where it is meant to differ, raise the version and add its digest here',
  (version, sample) => {
    expect(hash('sha256', JSON.stringify(sample())).slice(0, 16)).toBe(GIVEN[version])
  },
)
