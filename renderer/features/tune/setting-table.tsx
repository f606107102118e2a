import { Switch } from '@mantine/core'
import { useState } from 'react'
import type { TuningDetail } from '../../../contract/control/tuning.ts'
import { count, duration, metricName, metricValue, pWords } from '../../components/format.ts'
import { ScrollTable } from '../../components/scroll-table.tsx'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'
import { TableHead } from '../../components/table-head.tsx'

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
      <ScrollTable label={WORDS.settings}>
        <TableHead
          columns={[
            WORDS.setting,
            { head: metricName(metric), className: styles.num },
            { head: WORDS.tokens, className: styles.num },
            { head: WORDS.time, className: styles.num },
            { head: WORDS.questions, className: styles.num },
            { head: WORDS.p, className: styles.num },
            WORDS.mark,
          ]}
        />
        <tbody>
          {shown.map((each) => (
            <tr key={each.setting}>
              <th scope="row">{each.words}</th>
              <td className={styles.num}>{metricValue(metric, each.mean)}</td>
              <td className={styles.num}>{each.tokens === null ? '–' : count(Math.round(each.tokens))}</td>
              <td className={styles.num}>{each.seconds === null ? '–' : duration(each.seconds * 1000)}</td>
              <td className={styles.num}>{count(each.questions)}</td>
              <td className={styles.num}>{each.p === null ? '–' : pWords(each.p)}</td>
              <td>{marksOf(each, result.winner).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
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
