import { Switch } from '@mantine/core'
import { useState } from 'react'
import type { TuningDetail } from '../../../contract/control/tuning.ts'
import { count, duration, metricName, metricValue, pWords } from '../../components/format.ts'
import { DataTable, num } from '../../components/tables.tsx'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

type Result = NonNullable<TuningDetail['result']>

/** Settings on development, best first, with the frontier of quality, tokens and time. */
export function SettingTable({ metric, result }: { metric: string; result: Result }) {
  const [isFrontier, setFrontier] = useState(false)
  const shown = result.settings.filter(({ frontier }) => frontier || !isFrontier)
  return (
    <section className={styles.block} aria-label={WORDS.settings}>
      <h2>{WORDS.settings}</h2>
      <p className="dim">{WORDS.frontierAbout}</p>
      <Switch
        label={WORDS.onlyFrontier}
        checked={isFrontier}
        onChange={({ currentTarget: { checked } }) => setFrontier(checked)}
      />
      <DataTable
        label={WORDS.settings}
        rows={shown}
        keyOf={({ setting }) => setting}
        columns={[
          [WORDS.setting, ({ words }) => words],
          [num(metricName(metric)), ({ mean }) => metricValue(metric, mean)],
          [num(WORDS.tokens), ({ tokens }) => (tokens === null ? '–' : count(Math.round(tokens)))],
          [num(WORDS.time), ({ seconds }) => (seconds === null ? '–' : duration(seconds * 1000))],
          [num(WORDS.questions), ({ questions }) => count(questions)],
          [num(WORDS.p), ({ p }) => (p === null ? '–' : pWords(p))],
          [WORDS.mark, (each) => marksOf(each, result.winner).join(', ')],
        ]}
      />
    </section>
  )
}

const marksOf = ({ setting, frontier, complete, failed }: Result['settings'][number], winner: number): string[] => [
  ...(setting === 0 ? [WORDS.marks.standard] : []),
  ...(setting === winner && setting !== 0 ? [WORDS.marks.winner] : []),
  ...(frontier ? [WORDS.marks.frontier] : []),
  ...(complete ? [] : [WORDS.marks.early]),
  ...(failed === 0 ? [] : [WORDS.failures(failed)]),
]
