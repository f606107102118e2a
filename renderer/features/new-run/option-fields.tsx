import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { ExperimentView } from '../../../contract/control/experiment.ts'
import { type ReactNode, useState } from 'react'
import type { RunDraft } from './run-draft.ts'
import styles from './new-run.module.css'

export interface OptionsProps {
  experiment: ExperimentView
  draft: RunDraft
  problems: readonly InputProblem[]
  onChange: (draft: RunDraft) => void
}

export const wholeNumber = (value: string | number, fallback: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? value : fallback

/** Rare choices of a step: closed at first, unless one of them was made. */
export function MoreOptions({ title, open, children }: { title: string; open: boolean; children: ReactNode }) {
  const [isOpen, setOpen] = useState(open)
  return (
    <details className={styles.more} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      <div className={styles.moreBody}>{children}</div>
    </details>
  )
}

export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return <p className={styles.problem}>▲ {text}</p>
}
