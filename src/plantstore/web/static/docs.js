// The interface's document, shown and tried out in Swagger UI.

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
});
