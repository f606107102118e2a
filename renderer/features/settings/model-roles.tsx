import type { ExperimentView } from '../../../contract/control/experiment.ts'
import table from '../../components/table.module.css'
import styles from './settings.module.css'

/** Which model does what in a set: read from the manifest, which is where it is changed. */
export function ModelRoles({ set }: { set: ExperimentView['model_sets'][number] }) {
  return (
    <div className={styles.roles}>
      <h3>Roles of {set.name}</h3>
      <p className="dim">{set.description}</p>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={`Model roles of ${set.name}`}>
        <table className={table.table}>
          <thead>
            <tr>
              <th>Role</th>
              <th>Backend</th>
              <th>Model</th>
              <th>Where</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(set.roles).map(([role, { backend, model, cloud }]) => (
              <tr key={role}>
                <th scope="row">{role.replaceAll('_', ' ')}</th>
                <td>{backend}</td>
                <td className={table.wrap}>{model}</td>
                <td>{cloud ? '▲ cloud: data leave this machine' : '● this machine or network'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
