import type { PublishedScope } from '../../../contract/control/run-job.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { bytes, count, plural } from '../../components/format.ts'
import table from '../../components/table.module.css'
import { deletedCells, deletesFiles, type Plan } from './effects.ts'
import styles from './launch.module.css'

interface EffectsDialogProps {
  plan: Plan
  opened: boolean
  onClose: () => void
  onConfirm: () => void
}

const scopeWords = ({ models, cells, judged }: PublishedScope): string =>
  `${plural(models.length, 'approach', 'approaches')}, ${plural(cells, 'cell')}, ${judged ? 'judged' : 'not judged'}`

/** Shows everything that a run deletes and replaces, and asks; finished cells only after the run's name was typed. */
export function EffectsDialog({ plan, opened, onClose, onConfirm }: EffectsDialogProps) {
  const cells = deletedCells(plan)
  const replaced = plan.publications.filter(({ current }) => current !== null)
  const isDeleting = deletesFiles(plan)
  const title =
    cells > 0
      ? `Delete ${plural(cells, 'finished cell')}?`
      : isDeleting
        ? 'Delete files of this run?'
        : 'Replace published results?'
  return (
    <ConfirmDialog
      opened={opened}
      title={title}
      confirm={isDeleting ? 'Delete and run' : 'Replace and run'}
      keep={isDeleting ? 'Keep files' : 'Keep results'}
      typed={cells > 0 ? plan.run_id : undefined}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {isDeleting && (
        <>
          <p>
            The cold start of run <strong>{plan.run_id}</strong> deletes exactly these files. This cannot be undone.
            Without the cold start, finished cells are kept and only missing ones are made.
          </p>
          <div className={styles.deletions} tabIndex={0} role="region" aria-label="Files that are deleted">
            <table className={table.table}>
              <thead>
                <tr>
                  <th>File or folder</th>
                  <th className={table.num}>Finished cells</th>
                  <th className={table.num}>Size</th>
                </tr>
              </thead>
              <tbody>
                {plan.deletions
                  .flatMap(({ items }) => items)
                  .map(({ what, path, size_bytes: size, rows }) => (
                    <tr key={path}>
                      <td className={table.wrap}>
                        {what.replaceAll('_', ' ')} <span className="dim">{path}</span>
                      </td>
                      <td className={table.num}>{rows === null ? '' : count(rows)}</td>
                      <td className={table.num}>{bytes(size)}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
          {plan.deletions.some(({ keeps_external_collections: keeps }) => keeps) && (
            <p className="dim">Collections of the external platform are kept.</p>
          )}
        </>
      )}
      {replaced.length > 0 && (
        <>
          <p>When the run is complete, it replaces published results in docs/results:</p>
          <ul className={styles.notes}>
            {replaced.map(({ dataset_id: dataset, current, next, lost }) => (
              <li key={dataset}>
                <strong>{dataset}</strong>: run {current!.run_id} (
                {current!.readable ? scopeWords(current!) : 'its summary cannot be read'}) is replaced by run{' '}
                {next.run_id} ({scopeWords(next)}).
                {lost.length > 0 && <strong> Lost: {lost.join(', ')}.</strong>}
              </li>
            ))}
          </ul>
        </>
      )}
    </ConfirmDialog>
  )
}
