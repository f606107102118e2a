import type { PublishedScope } from '../../../contract/control/run-job.ts'
import { DataTable, num } from '../../components/tables.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { bytes, count, plural } from '../../components/format.ts'
import table from '../../components/table.module.css'
import { removedCells, removesFiles, type Plan } from './effects.ts'
import styles from './new-run.module.css'
import { NEW_RUN_WORDS } from './new-run-words.ts'

const WORDS = NEW_RUN_WORDS.effectsDialog

interface EffectsDialogProps {
  plan: Plan
  opened: boolean
  onClose: () => void
  onConfirm: () => void
}

const scopeWords = ({ models, cells, judged }: PublishedScope): string =>
  `${plural(models.length, 'approach', 'approaches')}, ${plural(cells, 'answer')}, ${judged ? 'judged' : WORDS.notJudged}`

/** Shows everything that a run moves to the trash and replaces, and asks; finished cells only after the run's name was typed. */
export function EffectsDialog({ plan, opened, onClose, onConfirm }: EffectsDialogProps) {
  const cells = removedCells(plan)
  const replaced = plan.publications.filter(({ current }) => current !== null)
  const isRemoving = removesFiles(plan)
  const title = cells > 0 ? WORDS.remove(cells) : isRemoving ? WORDS.removeFiles : WORDS.replacePublishedResults
  return (
    <ConfirmDialog
      opened={opened}
      title={title}
      confirm={isRemoving ? WORDS.removeAndRun : WORDS.replaceAndRun}
      keep={isRemoving ? WORDS.keepFiles : WORDS.keepResults}
      typed={cells > 0 ? plan.run_id : undefined}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {isRemoving && (
        <>
          <p>
            {WORDS.coldStartOf}
            <strong>{plan.run_id}</strong>
            {WORDS.coldStartEffect}
          </p>
          <DataTable
            label={WORDS.removedFiles}
            className={styles.deletions}
            rows={plan.deletions.flatMap(({ items }) => items)}
            keyOf={({ path }) => path}
            columns={[
              [
                WORDS.fileOrFolder,
                ({ what, path }) => (
                  <>
                    {what.replaceAll('_', ' ')} <span className="dim">{path}</span>
                  </>
                ),
                table.wrap,
              ],
              [num(WORDS.finishedCells), ({ rows }) => (rows === null ? '' : count(rows))],
              [num(WORDS.size), ({ size_bytes: size }) => bytes(size)],
            ]}
          />
          {plan.deletions.some(({ keeps_external_collections: keeps }) => keeps) && (
            <p className="dim">{WORDS.externalKept}</p>
          )}
        </>
      )}
      {replaced.length > 0 && (
        <>
          <p>{WORDS.publishEffect}</p>
          <ul className={styles.notes}>
            {replaced.map(({ dataset_id: dataset, current, next, lost }) => (
              <li key={dataset}>
                <strong>{dataset}</strong>
                {WORDS.replacedBy(
                  current!.run_id,
                  current!.readable ? scopeWords(current!) : WORDS.summaryUnreadable,
                  next.run_id,
                  scopeWords(next),
                )}
                {lost.length > 0 && <strong>{WORDS.lost(lost.join(', '))}</strong>}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}
