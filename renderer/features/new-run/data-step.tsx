import { Button, Checkbox } from '@mantine/core'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import type { DatasetPlan } from '../../../contract/control/run-job.ts'
import { decidesWords } from '../../../core/planned-words.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'

const WORDS = NEW_RUN_WORDS.dataStep

interface DataStepProps {
  datasets: readonly DatasetView[]
  chosen: readonly string[]
  /** Of the chosen datasets; what their questions decide is simulated for them alone. */
  plans: readonly DatasetPlan[]
  onChange: (datasets: string[]) => void
}

/** Which differences the questions of a dataset can show, or why they can show none. */
function decides(dataset: DatasetView, plan: DatasetPlan | undefined): string {
  const planned = plan === undefined ? null : decidesWords(plan.planned_difference)
  if (planned !== null) return planned
  const { questions, with_gold: gold, with_ground_truth: truth } = dataset
  if (gold === 0 && truth === 0) return WORDS.noGold
  return Math.max(gold, truth) < 8 ? WORDS.tooFew : WORDS.scored(Math.max(gold, truth), questions)
}

/** Datasets as cards, in the order of their levels. */
export function DataStep({ datasets, chosen, plans, onChange }: DataStepProps) {
  const order = datasets.toSorted((a, b) => a.complexity_level - b.complexity_level)
  // The smoke set has level 0 and counts in no ladder.
  const levels = order.filter(({ complexity_level: level }) => level > 0).map(({ id }) => id)
  const toggle = (id: string, on: boolean): void =>
    onChange(order.map((each) => each.id).filter((each) => (each === id ? on : chosen.includes(each))))
  return (
    <>
      <div className="row">
        <Button size="compact-sm" onClick={() => onChange([])}>
          {WORDS.none}
        </Button>
        <Button size="compact-sm" onClick={() => onChange(levels)}>
          {WORDS.allLevels}
        </Button>
      </div>
      <div className={styles.cards}>
        {order.map((dataset) => {
          const { id, label, own, description, complexity_level: level, questions, unanswerable } = dataset
          const plan = plans.find(({ dataset_id: planned }) => planned === id)
          return (
            <div key={id} className={styles.card} data-chosen={chosen.includes(id) || undefined}>
              <Checkbox
                size="sm"
                label={label}
                checked={chosen.includes(id)}
                onChange={({ currentTarget }) => toggle(id, currentTarget.checked)}
                aria-describedby={`about-${id}`}
              />
              <div id={`about-${id}`} className={styles.cardText}>
                <p className={styles.facts}>
                  {WORDS.facts(own ? null : level, questions, unanswerable).map((fact) => (
                    <span key={fact}>{fact}</span>
                  ))}
                </p>
                <p>{decides(dataset, plan)}</p>
                {description !== '' && <p className="dim">{description}</p>}
              </div>
            </div>
          )
        })}
      </div>
    </>
  )
}
