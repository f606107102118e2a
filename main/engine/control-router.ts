import type { EngineParts } from './engine-parts.ts'
import { control } from './procedures/control-api.ts'
import {
  datasetProcedures,
  indexProcedures,
  serviceProcedures,
  settingsProcedures,
} from './procedures/project-procedures.ts'
import {
  cellProcedures,
  comparisonProcedures,
  exportProcedures,
  judgeProcedures,
  matrixProcedures,
} from './procedures/result-procedures.ts'
import { experimentProcedures, runProcedures } from './procedures/run-procedures.ts'
import { systemProcedures } from './procedures/system-procedures.ts'

/** The control API over the engine's parts: every procedure of the contract. */
export function createControlRouter(parts: EngineParts) {
  return control.router({
    system: systemProcedures(parts),
    experiment: experimentProcedures(parts),
    runs: runProcedures(parts),
    matrix: matrixProcedures(parts),
    cells: cellProcedures(parts),
    ...comparisonProcedures(parts),
    datasets: datasetProcedures(parts),
    judges: judgeProcedures(parts),
    services: serviceProcedures(parts),
    index: indexProcedures(parts),
    exports: exportProcedures(parts),
    settings: settingsProcedures(parts),
  })
}
