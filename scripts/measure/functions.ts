import ts from 'typescript-5';
import type { Source } from './sources.ts';

export interface MeasuredFunction {
  /** `path:line name` */
  readonly place: string;
  readonly path: string;
  readonly lines: number;
  /** Cyclomatic complexity: 1 and each branch. Nested functions have their own. */
  readonly complexity: number;
}

/** Functions of Vitest whose callbacks are groups and tests, not functions of the program. */
const TEST_WORDS = /^(describe|test|it|beforeAll|beforeEach|afterAll|afterEach)$/;

const BRANCHES = new Set([
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.ConditionalExpression,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.CaseClause,
  ts.SyntaxKind.CatchClause,
]);
const SHORT_CIRCUITS = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

const isBranch = (node: ts.Node) =>
  BRANCHES.has(node.kind) || (ts.isBinaryExpression(node) && SHORT_CIRCUITS.has(node.operatorToken.kind));

/** Measures every function with a body: declarations, methods, arrows and callbacks, but not the callbacks of tests. */
export function measureFunctions({ path, tree }: Source): MeasuredFunction[] {
  const found: MeasuredFunction[] = [];
  const visit = (node: ts.Node): void => {
    if (isFunctionWithBody(node) && !isTestCallback(node)) {
      const first = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line;
      const last = tree.getLineAndCharacterOfPosition(node.end).line;
      const place = `${path}:${first + 1} ${nameOf(node, tree)}`;
      found.push({ place, path, lines: last - first + 1, complexity: complexityOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const isFunctionWithBody = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

/** Checks for a callback of `test('…', …)`, `describe.each([…])('…', …)` or `test.skipIf(…)('…', …)`. */
function isTestCallback({ parent }: ts.Node): boolean {
  if (!ts.isCallExpression(parent)) return false;
  let callee: ts.Expression = parent.expression;
  while (!ts.isIdentifier(callee)) {
    if (!(ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee))) return false;
    callee = callee.expression;
  }
  return TEST_WORDS.test(callee.text);
}

function nameOf(node: ts.FunctionLikeDeclaration, tree: ts.SourceFile): string {
  if (node.name) return node.name.getText(tree);
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText(tree);
  // A chain of calls over several lines would break the list.
  if (ts.isCallExpression(parent)) return `${parent.expression.getText(tree).split('(')[0]?.trim()}(…)`;
  return ts.isConstructorDeclaration(node) ? 'constructor' : '(no name)';
}

function complexityOf(node: ts.FunctionLikeDeclaration): number {
  let branches = 0;
  const visit = (child: ts.Node): void => {
    if (isFunctionWithBody(child)) return;
    if (isBranch(child)) branches += 1;
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return branches + 1;
}
