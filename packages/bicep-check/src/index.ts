/** Expands Bicep files into resources, and checks resources against Azure's type definitions. */
export { type ArmTemplate, armShapes, bicepShapes } from './expand/arm.ts';
export { readParameterFile } from './expand/parameters.ts';
export { type Declaration, type Expression, type ObjectExpression, parseDeclarations } from './expand/parser.ts';
export { type DeployedResource, type Expanded, expandTemplate } from './expand/template.ts';
export type { Value } from './expand/values.ts';
export { checkResource } from './types/check.ts';
export { readDefinitions } from './types/definitions.ts';
export { checkAgainstRecord, faultsOf, recordOf, type Verified } from './types/record.ts';
