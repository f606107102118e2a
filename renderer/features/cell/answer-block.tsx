import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { CellCut } from '../../../contract/control/run-index/cell.ts'
import type { RowEvidence } from '../../../contract/evidence/canonical-row.ts'
import { count } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { control } from '../../data/client.ts'
import { supportedSentences } from './text-match.ts'
import marked from '../../components/marked-text.module.css'
import styles from './cell.module.css'

interface AnswerBlockProps {
  evidence: RowEvidence | null
  cuts: readonly CellCut[]
  run: string
  row: string
  /** Beside the heading. */
  state: ReactNode
}

/** Longer answers are shown without shading: matching their words would hold up the page. */
const SHADED_CHARACTERS = 40_000

/** The answer, its sentences shaded by whether their words stand in a context. A cut answer reads on by a button. */
export function AnswerBlock({ evidence, cuts, run, row, state }: AnswerBlockProps) {
  const cut = cuts.find(({ path, kind }) => kind === 'text' && path.join('.') === 'evidence.answer')
  const [more, setMore] = useState('')
  const readOn = useMutation({
    mutationFn: (offset: number) => control.cells.answerSlice({ run_id: run, row_id: row, offset }),
    onSuccess: ({ text }) => setMore((before) => before + text),
    onError: (error) => notifyFailure('Reading on', error),
  })
  const answer = evidence === null ? '' : evidence.answer + more
  const shaded = answer.length <= SHADED_CHARACTERS
  return (
    <div className={styles.block}>
      <h3>Answer {state}</h3>
      <div className={styles.box}>
        {evidence === null && <span className="dim">no answer</span>}
        <bdi className={marked.text}>
          {shaded
            ? supportedSentences(answer, evidence?.contexts ?? []).map(({ text, supported }, index) => (
                <span key={index} className={styles.sentence} data-supported={supported ?? undefined}>
                  {text}
                </span>
              ))
            : answer}
        </bdi>
      </div>
      {shaded && (evidence?.contexts.length ?? 0) > 0 && (
        <p className="dim">
          Shaded: most of the sentence’s words stand in one context. Dotted: they do not. A match of words, no judgment.
        </p>
      )}
      {cut !== undefined && answer.length < cut.total && (
        <Button variant="default" loading={readOn.isPending} onClick={() => readOn.mutate(answer.length)}>
          Read on: {count(answer.length)} of {count(cut.total)} characters
        </Button>
      )}
    </div>
  )
}
