import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { NextStep } from '../../contract/evidence/verdict.ts'
import styles from './next-step.module.css'

/** Stored verdicts name the parts of a run as they were once called. */
const RUN_PARTS = {
  '/matrix': '/runs/$run/matrix',
  '/coverage': '/runs/$run/coverage',
  '/ladder': '/runs/$run/progress',
} as const

/** Shows the step after a verdict: a button that leads to it in the panel, and why. */
export function NextStepLine({ next, isPrimary }: { next: NextStep; isPrimary: boolean }) {
  const { page, label, text, run_id: run, dataset_id: dataset } = next
  const target =
    page === '/datasets'
      ? ({ to: page, search: { dataset } } as const)
      : page === '/launch'
        ? ({ to: page } as const)
        : ({ to: RUN_PARTS[page], params: { run }, search: page === '/ladder' ? {} : { dataset } } as const)
  return (
    <p className={styles.next}>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        size="compact-sm"
        renderRoot={(props) => <Link {...target} {...props} />}
      >
        {label}
      </Button>{' '}
      <span>{text}</span>
    </p>
  )
}
